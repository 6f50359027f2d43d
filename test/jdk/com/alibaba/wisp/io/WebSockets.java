/*
 * Copyright (c) 2026, the OpenJDK 11 with Wisp2 project. All rights reserved.
 * Licensed under the GNU General Public License version 2 with the Classpath
 * Exception; see the file LICENSE at the root of the repository.
 */

/*
 * @test
 * @summary A WebSocket of java.net.http gets all that a server sends at once after its opening handshake, in order: a greeting, and more than fits
 *          into the first reads. Catches: what comes while the connection changes its reader is lost, and the next frame is read amid.
 * @library /test/lib
 * @modules java.net.http
 * @build wisptest.Crew wisptest.Vm
 * @run main/othervm WebSockets
 */

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import wisptest.Crew;
import wisptest.Vm;

public class WebSockets {
    static final int CONNECTIONS = 60, FRAMES = 100;

    /** The sizes of the messages: a byte, or more than a read takes. */
    static int size(int connection) {
        return connection % 2 == 0 ? 5_000 : 1;
    }

    static void serve(Socket s, int connection) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(s.getInputStream(), StandardCharsets.US_ASCII));
        String accept = null;
        for (String line; !(line = in.readLine()).isEmpty(); ) {
            if (line.toLowerCase().startsWith("sec-websocket-key:")) {
                String key = line.substring(line.indexOf(':') + 1).trim() + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
                accept = Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1").digest(key.getBytes(StandardCharsets.US_ASCII)));
            }
        }
        OutputStream out = s.getOutputStream();
        out.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " + accept +
                   "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
        for (int i = 0; i < FRAMES; i++) {
            int n = size(connection);
            ByteBuffer frame = ByteBuffer.allocate(n + 4).put((byte) 0x82);              // binary, all of a message
            if (n < 126) {
                frame.put((byte) n);
            } else {
                frame.put((byte) 126).putShort((short) n);
            }
            while (n-- > 0) {
                frame.put((byte) i);
            }
            out.write(frame.array(), 0, frame.position());
        }
    }

    static final class Listener implements WebSocket.Listener {
        final CompletableFuture<Void> done = new CompletableFuture<>();
        final int size;
        int frame, bytes;

        Listener(int size) {
            this.size = size;
        }

        @Override
        public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
            for (; data.hasRemaining(); bytes++) {
                if (data.get() != (byte) frame) {
                    done.completeExceptionally(new AssertionError("other contents in frame " + frame));
                }
            }
            if (last) {
                if (bytes != size) {
                    done.completeExceptionally(new AssertionError(bytes + " bytes in frame " + frame));
                }
                bytes = 0;
                if (++frame == FRAMES) {
                    done.complete(null);
                }
            }
            socket.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
            done.completeExceptionally(new AssertionError("closed in frame " + frame));
            return null;
        }

        @Override
        public void onError(WebSocket socket, Throwable error) {
            done.completeExceptionally(new AssertionError("failed in frame " + frame, error));
        }
    }

    public static void main(String[] args) throws Exception {
        if (!Vm.wispOn()) {
            System.out.println("skipped: upstream loses it, too, less often");
            return;
        }
        InetAddress here = InetAddress.getLoopbackAddress();
        try (ServerSocket server = new ServerSocket(0, 50, here)) {
            Crew crew = new Crew();
            crew.start("server", () -> {
                for (int i = 0; i < CONNECTIONS; i++) {
                    serve(server.accept(), i);
                }
            });
            crew.start("client", () -> {
                HttpClient client = HttpClient.newHttpClient();
                URI uri = new URI("ws", null, here.getHostAddress(), server.getLocalPort(), "/", null, null);
                for (int i = 0; i < CONNECTIONS; i++) {
                    Listener listener = new Listener(size(i));
                    WebSocket socket = client.newWebSocketBuilder().buildAsync(uri, listener).join();
                    listener.done.get();
                    socket.abort();
                }
            });
            crew.join();
        }
    }
}
