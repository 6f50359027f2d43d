// Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
// Licensed under the GNU General Public License version 2 with the Classpath
// Exception; see the file LICENSE at the root of the repository.

// EchoServer.java with goroutines. Prints its port, and ends when its standard input does.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
)

func serve(c net.Conn) {
	defer c.Close()
	buffer := make([]byte, 1024)
	for {
		n, err := c.Read(buffer)
		if err != nil {
			return
		}
		if _, err = c.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func main() {
	server, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	go func() {
		for {
			c, err := server.Accept()
			if err != nil {
				panic(err)
			}
			go serve(c)
		}
	}()
	fmt.Println(server.Addr().(*net.TCPAddr).Port)
	io.Copy(io.Discard, os.Stdin)
}
