#!/bin/sh
# Runs the compiler through ccache for upstream's makefiles: compile.sh CCACHE COMPILER ARGUMENT...
# With CCACHE_BASEDIR ccache makes all paths relative, also the target in the dependency file, which would then be
# another file for make, and a changed header would compile nothing again. The target is made what -o says.
"$@" || exit
file= object= next=
for argument; do
  case $next in
    file) file=$argument ;;
    object) object=$argument ;;
  esac
  case $argument in
    -MF) next=file ;;
    -o) next=object ;;
    *) next= ;;
  esac
done
[ -n "$file" ] && [ -n "$object" ] && [ -f "$file" ] || exit 0
sed -i "1s|^[^:]*:|$object:|" "$file"
