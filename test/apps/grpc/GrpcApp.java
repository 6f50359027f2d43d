/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * gRPC over HTTP/2, on the native epoll transport that its own Netty chooses: blocking unary calls, streams in both directions at the
 * same time (full duplex), deadlines, and servers that block. Messages are texts with a marshaller of this driver, so that no code is
 * generated.
 */
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import wisp.apps.App;

public class GrpcApp {
    static final int CLIENTS = 40, ROUNDS = 20;

    static class Text implements MethodDescriptor.Marshaller<String> {
        @Override
        public InputStream stream(String s) {
            return new ByteArrayInputStream(s.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public String parse(InputStream in) {
            try {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    static MethodDescriptor<String, String> method(String name, MethodDescriptor.MethodType type) {
        return MethodDescriptor.<String, String>newBuilder(new Text(), new Text()).setType(type)
                .setFullMethodName(MethodDescriptor.generateFullMethodName("wisp.Echo", name)).build();
    }

    static final MethodDescriptor<String, String> UNARY = method("Unary", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<String, String> SLOW = method("Slow", MethodDescriptor.MethodType.UNARY);
    static final MethodDescriptor<String, String> CHAT = method("Chat", MethodDescriptor.MethodType.BIDI_STREAMING);

    static void sleep(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static ServerServiceDefinition service(CountDownLatch end) {
        return ServerServiceDefinition.builder("wisp.Echo").addMethod(UNARY, ServerCalls.asyncUnaryCall((request, answer) -> {
            sleep(request.length() % 3);
            answer.onNext("re: " + request);
            answer.onCompleted();
        })).addMethod(SLOW, ServerCalls.asyncUnaryCall((request, answer) -> {
            try {
                end.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            answer.onCompleted();
        })).addMethod(CHAT, ServerCalls.asyncBidiStreamingCall(answer -> new StreamObserver<String>() {
            @Override
            public void onNext(String s) {
                answer.onNext("chat: " + s);
            }

            @Override
            public void onError(Throwable e) {
                e.printStackTrace();
            }

            @Override
            public void onCompleted() {
                answer.onCompleted();
            }
        })).build();
    }

    static void chat(ManagedChannel channel, int client) throws Throwable {
        CountDownLatch ended = new CountDownLatch(1);
        AtomicInteger right = new AtomicInteger();
        StreamObserver<String> out = ClientCalls.asyncBidiStreamingCall(channel.newCall(CHAT, CallOptions.DEFAULT), new StreamObserver<>() {
            private int n;

            @Override
            public void onNext(String s) {
                if (s.equals("chat: " + App.text(client + n++, 500))) {
                    right.incrementAndGet();
                }
            }

            @Override
            public void onError(Throwable e) {
                e.printStackTrace();
                ended.countDown();
            }

            @Override
            public void onCompleted() {
                ended.countDown();
            }
        });
        for (int i = 0; i < 100; i++) {
            out.onNext(App.text(client + i, 500));
        }
        out.onCompleted();
        App.check(ended.await(120, TimeUnit.SECONDS), "the stream ends");
        App.equal(right.get(), 100, "messages of a stream");
    }

    public static void main(String[] args) {
        App.run(() -> {
            ExecutorService pool = Executors.newFixedThreadPool(50);
            CountDownLatch end = new CountDownLatch(1);
            Server server = NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0)).executor(pool).addService(service(end)).build().start();
            ManagedChannel channel = NettyChannelBuilder.forAddress("127.0.0.1", server.getPort()).usePlaintext().build();
            App.phase("unary calls");
            App.crew(CLIENTS, "unary", c -> {
                for (int i = 0; i < ROUNDS; i++) {
                    String s = App.text(c + i, i % 7 == 0 ? 50_000 : 10 * i);
                    App.equal(ClientCalls.blockingUnaryCall(channel, UNARY, CallOptions.DEFAULT.withDeadlineAfter(120, TimeUnit.SECONDS), s), "re: " + s, "answer");
                }
            });
            App.phase("streams");
            App.crew(CLIENTS, "chat", c -> chat(channel, c));
            App.phase("deadlines");
            App.crew(10, "deadline", c -> {
                try {
                    ClientCalls.blockingUnaryCall(channel, SLOW, CallOptions.DEFAULT.withDeadlineAfter(200, TimeUnit.MILLISECONDS), "x");
                    App.check(false, "a call outlived its deadline");
                } catch (StatusRuntimeException e) {
                    App.equal(e.getStatus().getCode(), Status.Code.DEADLINE_EXCEEDED, "status");
                }
            });
            end.countDown();
            App.phase("stop");
            channel.shutdown();
            App.check(channel.awaitTermination(60, TimeUnit.SECONDS), "the channel ends");
            server.shutdown();
            App.check(server.awaitTermination(60, TimeUnit.SECONDS), "the server ends");
            pool.shutdown();
        });
    }
}
