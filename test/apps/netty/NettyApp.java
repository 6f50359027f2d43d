/*
 * Part of OpenJDK 11 with Wisp2; GPLv2 with the Classpath Exception, see LICENSE.
 *
 * Netty: an echo server and an HTTP server, each with the NIO transport and with Netty's native epoll transport, whose event loops block
 * in native code of their own and must go on by hand-off. Clients are Netty's own and plain blocking sockets. Handlers run partly in an
 * executor group that blocks.
 */
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollEventLoopGroup;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.DataInputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import wisp.apps.App;

public class NettyApp {
    static final int CLIENTS = 50, ROUNDS = 40;

    final EventLoopGroup boss, workers, clients;
    final EventExecutorGroup blocking = new DefaultEventExecutorGroup(8);
    final Class<? extends ServerChannel> server;
    final Class<? extends Channel> client;

    NettyApp(boolean epoll) {
        boss = epoll ? new EpollEventLoopGroup(1) : new NioEventLoopGroup(1);
        workers = epoll ? new EpollEventLoopGroup() : new NioEventLoopGroup();
        clients = epoll ? new EpollEventLoopGroup(3) : new NioEventLoopGroup(3);
        server = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        client = epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    static class Echo extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message);
        }
    }

    static class Http extends SimpleChannelInboundHandler<FullHttpRequest> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FullHttpRequest request) throws Exception {
            String body = request.content().toString(StandardCharsets.UTF_8);
            Thread.sleep(body.length() % 4);
            ByteBuf content = Unpooled.copiedBuffer(request.uri() + " " + body, StandardCharsets.UTF_8);
            FullHttpResponse response = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK, content);
            response.headers().set(HttpHeaderNames.CONTENT_LENGTH, content.readableBytes());
            context.writeAndFlush(response);
        }
    }

    Channel listen(ChannelInitializer<SocketChannel> handlers) throws InterruptedException {
        return new ServerBootstrap().group(boss, workers).channel(server).option(ChannelOption.SO_BACKLOG, 200)
                .childHandler(handlers).bind("127.0.0.1", 0).sync().channel();
    }

    static int port(Channel c) {
        return ((java.net.InetSocketAddress) c.localAddress()).getPort();
    }

    void echo() throws Throwable {
        App.phase("echo, " + server.getSimpleName());
        Channel listener = listen(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel c) {
                c.pipeline().addLast(new Echo());
            }
        });
        App.crew(CLIENTS, "echo", n -> {
            try (Socket s = new Socket("127.0.0.1", port(listener))) {
                s.setSoTimeout(120_000);
                DataInputStream in = new DataInputStream(s.getInputStream());
                for (int i = 0; i < ROUNDS; i++) {
                    byte[] sent = App.text(n + i, i % 10 == 0 ? 30_000 : 10 + i).getBytes(StandardCharsets.US_ASCII), got = new byte[sent.length];
                    s.getOutputStream().write(sent);
                    in.readFully(got);
                    App.check(java.util.Arrays.equals(sent, got), "echo over a blocking socket");
                }
            }
        });
        listener.close().sync();
    }

    void http() throws Throwable {
        App.phase("HTTP, " + server.getSimpleName());
        Channel listener = listen(new ChannelInitializer<>() {
            @Override
            protected void initChannel(SocketChannel c) {
                c.pipeline().addLast(new HttpServerCodec(), new HttpObjectAggregator(1 << 20)).addLast(blocking, new Http());
            }
        });
        App.crew(CLIENTS, "http", n -> {
            BlockingQueue<String> answers = new ArrayBlockingQueue<>(10);
            Channel c = new Bootstrap().group(clients).channel(client).handler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel s) {
                    s.pipeline().addLast(new HttpClientCodec(), new HttpObjectAggregator(1 << 20), new SimpleChannelInboundHandler<FullHttpResponse>() {
                        @Override
                        protected void channelRead0(ChannelHandlerContext context, FullHttpResponse response) {
                            answers.add(response.status().code() + " " + response.content().toString(StandardCharsets.UTF_8));
                        }
                    });
                }
            }).connect("127.0.0.1", port(listener)).sync().channel();
            for (int i = 0; i < ROUNDS; i++) {
                String body = App.text(n + i, n + (i % 13 == 0 ? 40_000 : 0)), uri = "/" + n + "/" + i;
                DefaultFullHttpRequest request = new DefaultFullHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, uri,
                        Unpooled.copiedBuffer(body, StandardCharsets.UTF_8));
                request.headers().set(HttpHeaderNames.CONTENT_LENGTH, body.length());
                c.writeAndFlush(request).sync();
                App.equal(answers.poll(120, TimeUnit.SECONDS), "200 " + uri + " " + body, "answer");
            }
            c.close().sync();
        });
        listener.close().sync();
    }

    void stop() throws InterruptedException {
        App.phase("stop");
        for (EventExecutorGroup g : new EventExecutorGroup[] {boss, workers, clients, blocking}) {
            g.shutdownGracefully(0, 10, TimeUnit.SECONDS);
        }
        for (EventExecutorGroup g : new EventExecutorGroup[] {boss, workers, clients, blocking}) {
            App.check(g.awaitTermination(60, TimeUnit.SECONDS), "event loops end");
        }
    }

    public static void main(String[] args) {
        App.run(() -> {
            App.check(Epoll.isAvailable(), "native transport: " + Epoll.unavailabilityCause());
            for (boolean epoll : new boolean[] {false, true}) {
                NettyApp app = new NettyApp(epoll);
                app.echo();
                app.http();
                app.stop();
            }
            GlobalEventExecutor.INSTANCE.awaitInactivity(10, TimeUnit.SECONDS);
        });
    }
}
