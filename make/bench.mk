# Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
#
# The benchmarks, which together defend every figure in doc/performance.md:
#   make bench          each promised figure next to its target
#   make bench-peers    the same small programs on kernel threads, coroutines, JDK 25's virtual threads and goroutines
#   make bench-echo     a blocking echo server: this JDK, JDK 25, Go
#   make bench-apps     web servers, with and without a database, and a proxy: this JDK, JDK 25
#   make bench-queries  twenty queries for a request by a C program: what the kernel takes for each way to wait
#   make bench-uperf    UPerf of JGroups, four members, over UDP and TCP: this JDK, JDK 25
#   make bench-cpu      computations and javac, flag on and off: what the flag costs where there is nothing to gain
#   make bench-sleepers a million threads that sleep: this JDK, JDK 25, Go, and Kotlin on both
#   make bench-off      the flag off against a build of the unpatched source
#   make bench-fair     threads that do not give way, beside threads that sleep; what an idle process costs
#   make bench-scale    1,000 to 100,000 threads
#   make bench-paths    timers beside each operation of the JDK that blocks
#   make bench-files    threads that write, force and read files; the same through io_uring
#   make bench-micro    JMH, flag off and on; ARGS="..." is passed on to JMH
#   make bench-all      what compares runtimes, one after the other, with one report: apps, uperf, sleepers, peers, cpu
# JDK=PATH measures another image than that of this tree, which is then not built.

ifeq ($(JDK),)
BENCH_IMAGE := images
endif

bench: $(BENCH_IMAGE)
	@make/bench.sh

bench-all: $(BENCH_IMAGE)
	@make/bench-all.sh

bench-peers: $(BENCH_IMAGE)
	@make/bench-peers.sh

bench-echo: $(BENCH_IMAGE)
	@make/bench-echo.sh

bench-apps: $(BENCH_IMAGE)
	@make/bench-apps.sh

bench-queries:
	@make/bench-queries.sh

bench-uperf: $(BENCH_IMAGE)
	@make/bench-uperf.sh

bench-cpu: $(BENCH_IMAGE)
	@make/bench-cpu.sh

bench-sleepers: $(BENCH_IMAGE)
	@make/bench-sleepers.sh

bench-off: $(BENCH_IMAGE)
	@make/bench-off.sh

bench-fair: $(BENCH_IMAGE)
	@make/bench-fair.sh

bench-scale: $(BENCH_IMAGE)
	@make/bench-scale.sh

bench-paths: $(BENCH_IMAGE)
	@make/bench-paths.sh

bench-files: $(BENCH_IMAGE)
	@make/bench-files.sh

bench-micro: $(BENCH_IMAGE)
	@make/bench-micro.sh $(ARGS)

.PHONY: bench bench-peers bench-echo bench-apps bench-queries bench-uperf bench-cpu bench-sleepers bench-off bench-fair bench-scale bench-paths bench-files bench-micro bench-all
