//! The proxy with faults, in front of a server that answers with what it gets.

use std::{io::ErrorKind, net::SocketAddr, time::Duration};

use testkit::{Direction, Fault, FaultProxy, Upstream};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
    sync::mpsc,
    time::{Instant, timeout},
};

const SHORT: Duration = Duration::from_millis(100);

/// A server that answers with what it gets, and reports it.
async fn echo() -> (SocketAddr, mpsc::UnboundedReceiver<Vec<u8>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, receiver) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let sender = sender.clone();
            tokio::spawn(async move {
                let mut buffer = [0; 4096];
                while let Ok(length @ 1..) = stream.read(&mut buffer).await {
                    let _ = sender.send(buffer[..length].to_vec());
                    let _ = stream.write_all(&buffer[..length]).await;
                }
            });
        }
    });
    (address, receiver)
}

async fn proxied() -> (FaultProxy, mpsc::UnboundedReceiver<Vec<u8>>) {
    let (address, received) = echo().await;
    (FaultProxy::start(Upstream::Tcp(address)).await, received)
}

async fn ask(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(text.as_bytes()).await.unwrap();
    let mut answer = vec![0; text.len()];
    stream.read_exact(&mut answer).await.unwrap();
    String::from_utf8(answer).unwrap()
}

/// Whether the connection is at its end.
async fn has_ended(stream: &mut TcpStream) -> bool {
    let read = timeout(Duration::from_secs(5), stream.read(&mut [0; 16])).await.expect("it ends");
    matches!(read, Ok(0)) || read.is_err_and(|error| error.kind() == ErrorKind::ConnectionReset)
}

#[tokio::test]
async fn it_passes_and_delays() {
    let (proxy, _received) = proxied().await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut stream, "one").await, "one");
    assert_eq!((proxy.connections(), proxy.passed(Direction::ToServer), proxy.passed(Direction::ToClient)), (1, 3, 3));
    proxy.set(Fault::Delay(SHORT)).await;
    let began = Instant::now();
    assert_eq!(ask(&mut stream, "two").await, "two");
    assert!(began.elapsed() >= SHORT * 2, "each way is late");
    // Other faults end the delay.
    proxy.set(Fault::Delay(Duration::from_secs(3_600))).await;
    stream.write_all(b"three").await.unwrap();
    proxy.heal().await;
    let mut answer = [0; 5];
    stream.read_exact(&mut answer).await.unwrap();
    assert_eq!(&answer, b"three");
}

#[tokio::test]
async fn what_stalls_is_passed_on_afterwards() {
    let (proxy, mut received) = proxied().await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    ask(&mut stream, "one").await;
    received.recv().await.unwrap();
    proxy.set(Fault::Stall).await;
    stream.write_all(b"two").await.unwrap();
    let mut new = TcpStream::connect(proxy.address()).await.expect("it accepts");
    new.write_all(b"new").await.unwrap();
    assert!(timeout(SHORT, received.recv()).await.is_err(), "nothing arrives");
    proxy.heal().await;
    let mut both = vec![received.recv().await.unwrap(), received.recv().await.unwrap()];
    both.sort();
    assert_eq!(both, [b"new", b"two"]);
}

#[tokio::test]
async fn it_drops_and_refuses_and_keeps_its_port() {
    let (proxy, _received) = proxied().await;
    for _ in 0..3 {
        let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
        assert_eq!(ask(&mut stream, "one").await, "one");
        proxy.set(Fault::Drop).await;
        assert!(has_ended(&mut stream).await);
        let mut new = TcpStream::connect(proxy.address()).await.expect("it accepts");
        assert!(has_ended(&mut new).await);
        proxy.set(Fault::Refuse).await;
        let refused = TcpStream::connect(proxy.address()).await.unwrap_err();
        assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
        proxy.heal().await;
    }
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut stream, "two").await, "two");
    proxy.cut();
    assert!(has_ended(&mut stream).await);
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut stream, "three").await, "three", "only open ones are cut");
}

#[tokio::test]
async fn one_half_closes_and_the_other_goes_on() {
    let (proxy, mut received) = proxied().await;
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    ask(&mut stream, "one").await;
    received.recv().await.unwrap();
    proxy.set(Fault::HalfClose(Direction::ToClient)).await;
    assert!(has_ended(&mut stream).await, "no answers any more");
    stream.write_all(b"two").await.unwrap();
    assert_eq!(received.recv().await.unwrap(), b"two", "requests arrive");
    proxy.heal().await;
    stream.write_all(b"three").await.unwrap();
    assert_eq!(received.recv().await.unwrap(), b"three");
    assert!(has_ended(&mut stream).await, "it stays half-closed");
    let mut stream = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut stream, "new").await, "new");
    // The server ends its half when there is nothing to answer any more.
    proxy.set(Fault::HalfClose(Direction::ToServer)).await;
    assert!(has_ended(&mut stream).await);
}

#[tokio::test]
async fn the_server_does_not_learn_that_clients_vanish() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let proxy = FaultProxy::start(Upstream::Tcp(listener.local_addr().unwrap())).await;
    let mut client = TcpStream::connect(proxy.address()).await.unwrap();
    let (mut server, _) = listener.accept().await.unwrap();
    client.write_all(b"one").await.unwrap();
    server.read_exact(&mut [0; 3]).await.unwrap();
    proxy.set(Fault::Vanish).await;
    assert!(has_ended(&mut client).await);
    proxy.heal().await;
    assert!(timeout(SHORT, server.read(&mut [0; 3])).await.is_err(), "it is open still");
    drop(proxy);
    assert!(has_ended(&mut server).await);
}

#[tokio::test]
async fn it_cuts_once_after_some_bytes_of_all_connections() {
    let (proxy, mut received) = proxied().await;
    let mut first = TcpStream::connect(proxy.address()).await.unwrap();
    let mut second = TcpStream::connect(proxy.address()).await.unwrap();
    ask(&mut first, "one").await;
    ask(&mut second, "two").await;
    while received.try_recv().is_ok() {}
    proxy.set(Fault::CutAfter(Direction::ToServer, 6)).await;
    assert_eq!(ask(&mut first, "1234").await, "1234");
    second.write_all(b"56789").await.unwrap();
    assert!(has_ended(&mut first).await && has_ended(&mut second).await);
    assert_eq!((received.recv().await.unwrap(), received.recv().await.unwrap()), (b"1234".to_vec(), b"56".to_vec()));
    assert_eq!(proxy.fault(), Fault::None);
    // The other direction: the server has done it, and the client does not learn of it.
    let mut third = TcpStream::connect(proxy.address()).await.unwrap();
    ask(&mut third, "three").await;
    received.recv().await.unwrap();
    proxy.set(Fault::CutAfter(Direction::ToClient, 0)).await;
    third.write_all(b"lost").await.unwrap();
    assert!(has_ended(&mut third).await);
    assert_eq!(received.recv().await.unwrap(), b"lost");
    let mut fourth = TcpStream::connect(proxy.address()).await.unwrap();
    assert_eq!(ask(&mut fourth, "four").await, "four");
}
