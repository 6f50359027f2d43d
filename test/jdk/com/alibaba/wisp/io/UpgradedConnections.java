/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A client of java.net.http asks for HTTP/2 in its first request, as it does by default, and the server sends all of its answer at once
 *          after its 101, in pieces. Catches: a piece that comes while the connection changes its reader is lost, and the answer does not end.
 * @library /test/lib
 * @modules java.net.http
 * @build wisptest.Check wisptest.Crew wisptest.Vm
 * @run main/othervm UpgradedConnections
 */

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import wisptest.Check;
import wisptest.Crew;
import wisptest.Vm;

public class UpgradedConnections {
    static final int CONNECTIONS = 100, PIECES = 20, BYTES = 1_000;
    static final int DATA = 0, HEADERS = 1, SETTINGS = 4, END_STREAM = 1, END_HEADERS = 4, STATUS_200 = 0x88;

    static void frame(OutputStream out, int type, int flags, int stream, byte... payload) throws Exception {
        ByteBuffer frame = ByteBuffer.allocate(9 + payload.length);
        frame.put((byte) 0).putShort((short) payload.length).put((byte) type).put((byte) flags).putInt(stream).put(payload);
        out.write(frame.array());
    }

    static byte[] piece(int number) {
        byte[] b = new byte[BYTES];
        Arrays.fill(b, (byte) number);
        return b;
    }

    static void serve(Socket s) throws Exception {
        s.setTcpNoDelay(true);
        BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.ISO_8859_1));
        boolean asked = false;
        for (String line; !(line = in.readLine()).isEmpty(); ) {
            asked |= line.equalsIgnoreCase("Upgrade: h2c");
        }
        Check.that(asked, "the client has not asked for HTTP/2");
        OutputStream out = s.getOutputStream();
        out.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        frame(out, SETTINGS, 0, 0);
        frame(out, HEADERS, END_HEADERS, 1, (byte) STATUS_200);
        for (int i = 0; i < PIECES; i++) {
            frame(out, DATA, i == PIECES - 1 ? END_STREAM : 0, 1, piece(i));
        }
        try {
            while (in.read() >= 0) {
                // the preface of the client, and its frames
            }
        } catch (SocketException e) {
            Check.that(s.isClosed(), "" + e);
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            System.out.println("skipped: upstream loses it, too, less often");
            return;
        }
        InetAddress here = InetAddress.getLoopbackAddress();
        Crew connections = new Crew();
        List<Socket> sockets = new ArrayList<>();
        try (ServerSocket server = new ServerSocket(0, 50, here)) {
            Crew crew = new Crew();
            crew.start("server", () -> {
                for (int i = 0; i < CONNECTIONS; i++) {
                    Socket s = server.accept();
                    sockets.add(s);
                    connections.start("connection-" + i, () -> serve(s));
                }
            });
            crew.start("client", () -> {
                URI uri = new URI("http", null, here.getHostAddress(), server.getLocalPort(), "/", null, null);
                for (int i = 0; i < CONNECTIONS; i++) {
                    HttpResponse<byte[]> answer = HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(),
                                                                                  HttpResponse.BodyHandlers.ofByteArray());
                    Check.equal(HttpClient.Version.HTTP_2, answer.version(), "version");
                    Check.equal(200, answer.statusCode(), "status");
                    Check.equal(PIECES * BYTES, answer.body().length, "length");
                    for (int p = 0; p < PIECES; p++) {
                        Check.that(Arrays.equals(piece(p), Arrays.copyOfRange(answer.body(), p * BYTES, (p + 1) * BYTES)), "piece " + p);
                    }
                }
            });
            crew.join();
            for (Socket s : sockets) {
                s.close();
            }
            connections.join();
        }
    }
}
