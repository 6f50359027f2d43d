// Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.

// The work of Sleepers.java on goroutines. Usage: sleepers-go COUNT PASSES; a line for each pass: milliseconds, milliseconds of CPU time of
// the process, and the most memory it has had so far, in KB.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
	"syscall"
	"time"
)

func usage() (cpu time.Duration, peakKB int64) {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		fmt.Fprintln(os.Stderr, "getrusage: "+err.Error())
		os.Exit(1)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano()), r.Maxrss
}

func number(arg string) int {
	n, err := strconv.Atoi(arg)
	if err != nil || n <= 0 {
		fmt.Fprintln(os.Stderr, "not a number above 0: "+arg)
		os.Exit(2)
	}
	return n
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: sleepers-go COUNT PASSES")
		os.Exit(2)
	}
	n, passes := number(os.Args[1]), number(os.Args[2])
	for p := 0; p < passes; p++ {
		var woken sync.WaitGroup
		woken.Add(n)
		before, _ := usage()
		start := time.Now()
		for i := 0; i < n; i++ {
			go func() { time.Sleep(time.Second); woken.Done() }()
		}
		woken.Wait()
		wall := time.Since(start)
		after, peak := usage()
		fmt.Println(wall.Milliseconds(), (after - before).Milliseconds(), peak)
	}
}
