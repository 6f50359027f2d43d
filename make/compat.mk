# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# The long tests: upstream's own suites in each configuration, the stress program with each collector and compiler, races of two threads.
#   make test-compat [COMPAT="thread a java/lang/ref/CleanerTest.java"] [CONFIG="flag stock"] [MINUTES=60]
#   make compat-table   writes doc/compatibility.md from test/results
#   make stress [STRESS="g1 z"] [LEVEL=fastdebug]
#   make jcstress [JCSTRESS="Park Monitor"] [CONFIG="flag migrate"] [LEVEL=fastdebug]

test-compat: images
	@make/compat.sh run $(COMPAT)

compat-table:
	@make/compat.sh table

stress: images
	@make/stress.sh $(STRESS)

jcstress: $(if $(JDK),,images)
	@make/jcstress.sh $(JCSTRESS)

.PHONY: test-compat compat-table stress jcstress
