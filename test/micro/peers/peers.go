// Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.

// Measures the work of Peers.java on goroutines: the right-hand side of "a yield switch costs at most half of Go's Gosched" and of the
// tables that compare with Go. Usage: peers-go PROGRAM OPERATIONS; prints one number. Where Java parks, a goroutine waits on a channel.
package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"time"
)

// Runs the functions at the same time, returns nanoseconds until the last one is done.
func together(bodies ...func()) float64 {
	var w sync.WaitGroup
	w.Add(len(bodies))
	t := time.Now()
	for _, b := range bodies {
		go func() { b(); w.Done() }()
	}
	w.Wait()
	return float64(time.Since(t).Nanoseconds())
}

func yields(n int) float64 {
	body := func() {
		for i := 0; i < n/2; i++ {
			runtime.Gosched()
		}
	}
	return together(body, body) / float64(n)
}

// A token goes back and forth over two channels; capacity 0 is a hand-over, more is a queue.
func channels(n, capacity int) float64 {
	p, q := make(chan int, capacity), make(chan int, capacity)
	first := func() {
		for i := 0; i < n; i++ {
			p <- 1
			<-q
		}
	}
	second := func() {
		for i := 0; i < n; i++ {
			q <- <-p
		}
	}
	return together(first, second) / float64(n)
}

func condition(n int) float64 {
	var lock sync.Mutex
	cond := sync.NewCond(&lock)
	turn := 0
	body := func(me int) func() {
		return func() {
			lock.Lock()
			for i := 0; i < n; i++ {
				for turn != me {
					cond.Wait()
				}
				turn = 1 - me
				cond.Signal()
			}
			lock.Unlock()
		}
	}
	return together(body(0), body(1)) / float64(n)
}

const crowd = 20

func contended(n int) float64 {
	var lock sync.Mutex
	laps, count := n/crowd, 0
	bodies := make([]func(), crowd)
	for i := range bodies {
		bodies[i] = func() {
			for lap := 0; lap < laps; lap++ {
				lock.Lock()
				count++
				runtime.Gosched()
				lock.Unlock()
			}
		}
	}
	ns := together(bodies...)
	check(count, laps*crowd)
	return ns / float64(count)
}

func check(actual, expected int) {
	if actual != expected {
		fmt.Fprintln(os.Stderr, "computed", actual, "instead of", expected)
		os.Exit(1)
	}
}

// Each node is a goroutine, which starts ten and adds up what they send; a leaf sends its number.
func node(result chan<- int, first, leaves int) {
	if leaves == 1 {
		result <- first
		return
	}
	parts := make(chan int)
	for i := 0; i < 10; i++ {
		go node(parts, first+i*(leaves/10), leaves/10)
	}
	sum := 0
	for i := 0; i < 10; i++ {
		sum += <-parts
	}
	result <- sum
}

func skynet(n int) float64 {
	leaves := 1
	for leaves <= n/10 {
		leaves *= 10
	}
	result := make(chan int)
	t := time.Now()
	go node(result, 0, leaves)
	sum := <-result
	ns := float64(time.Since(t).Nanoseconds())
	check(sum, leaves*(leaves-1)/2)
	return ns / float64(leaves+(leaves-1)/9)
}

func starts(n int) float64 {
	t := time.Now()
	for i := 0; i < n; i++ {
		done := make(chan struct{})
		go func() { close(done) }()
		<-done
	}
	return float64(time.Since(t).Nanoseconds()) / float64(n)
}

func sleepers(n int) float64 {
	var w sync.WaitGroup
	w.Add(n)
	t := time.Now()
	for i := 0; i < n; i++ {
		go func() { time.Sleep(time.Second); w.Done() }()
	}
	w.Wait()
	return float64(time.Since(t).Nanoseconds()) / 1e6
}

const members = 1000

func ring(hops int) float64 {
	laps := hops / members
	links := make([]chan int, members)
	for i := range links {
		links[i] = make(chan int, 1)
	}
	bodies := make([]func(), members)
	for i := range bodies {
		in, out := links[i], links[(i+1)%members]
		bodies[i] = func() {
			for lap := 0; lap < laps; lap++ {
				<-in
				out <- 1
			}
		}
	}
	links[0] <- 1
	return together(bodies...) / float64(laps*members)
}

const pairs = 20

func socket() *net.UDPConn {
	c, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		panic(err)
	}
	return c
}

func datagrams(n int) float64 {
	trips := n / pairs
	correspondent := func(own, other *net.UDPConn, begins bool) func() {
		to := other.LocalAddr().(*net.UDPAddr)
		return func() {
			out, in := make([]byte, 64), make([]byte, 100)
			for i := 0; i < trips; i++ {
				if begins {
					own.WriteToUDP(out, to)
				}
				if length, _, err := own.ReadFromUDP(in); err != nil || length != 64 {
					panic("no datagram of 64 bytes")
				}
				if !begins {
					own.WriteToUDP(out, to)
				}
			}
			own.Close()
		}
	}
	var bodies []func()
	for i := 0; i < pairs; i++ {
		a, b := socket(), socket()
		bodies = append(bodies, correspondent(a, b, true), correspondent(b, a, false))
	}
	return together(bodies...) / float64(trips*pairs)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: peers-go PROGRAM OPERATIONS")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[2])
	if err != nil || n <= 0 {
		fmt.Fprintln(os.Stderr, "not a number of operations: "+os.Args[2])
		os.Exit(2)
	}
	programs := map[string]func(int) float64{
		"yield":        yields,
		"park":         func(n int) float64 { return channels(n, 0) },
		"queue":        func(n int) float64 { return channels(n, 64) },
		"monitor":      condition,
		"start-main":   starts,
		"start-inside": func(n int) (ns float64) { together(func() { ns = starts(n) }); return },
		"sleepers":     sleepers,
		"ring":         ring,
		"skynet":       skynet,
		"contended":    contended,
		"datagram":     datagrams,
	}
	program := programs[os.Args[1]]
	if program == nil {
		fmt.Fprintln(os.Stderr, "unknown program "+os.Args[1])
		os.Exit(2)
	}
	if os.Args[1] != "sleepers" {
		program(max(n/4, members))
	}
	fmt.Printf("%.1f\n", program(n))
}
