//! Files that all nodes share: of two writers at once one wins, and the other knows.

use journal::postgres::SharedFiles;

use super::TestDatabase;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_file_is_written_only_over_the_version_that_was_read() {
    let database = TestDatabase::new();
    let (one, other) =
        (SharedFiles::open(&database.url).await.unwrap(), SharedFiles::open(&database.url).await.unwrap());
    assert_eq!(one.read("token").await.unwrap(), None, "without tables there are no files");
    one.prepare().await.unwrap();
    assert_eq!(other.read("token").await.unwrap(), None);
    let (first, second) = tokio::join!(one.write("token", None, b"one"), other.write("token", None, b"other"));
    let (first, second) = (first.unwrap(), second.unwrap());
    assert!(first.is_some() != second.is_some(), "{first:?} {second:?}");
    let read = one.read("token").await.unwrap().unwrap();
    assert_eq!(read.bytes, if first.is_some() { &b"one"[..] } else { b"other" });
    assert_eq!(other.read("token").await.unwrap().unwrap(), read);

    let next = one.write("token", Some(read.version), b"two").await.unwrap().unwrap();
    assert!(next > read.version);
    assert_eq!(other.write("token", Some(read.version), b"three").await.unwrap(), None, "it is not the newest");
    assert_eq!(other.write("keys", Some(1), b"none").await.unwrap(), None, "there is none");
    let changed = other.changed(&[("token", read.version), ("keys", 7)]).await.unwrap();
    assert_eq!(
        changed.iter().map(|file| (file.name.as_str(), &*file.bytes)).collect::<Vec<_>>(),
        [("token", &b"two"[..])]
    );
    assert_eq!(other.changed(&[("token", next)]).await.unwrap(), []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_writers_lose_no_change() {
    let database = TestDatabase::new();
    SharedFiles::open(&database.url).await.unwrap().prepare().await.unwrap();
    let writers = (0..4).map(|n: u8| {
        let url = database.url.clone();
        tokio::spawn(async move {
            let files = SharedFiles::open(&url).await.unwrap();
            for _ in 0..10 {
                loop {
                    let before = files.read("list").await.unwrap();
                    let (version, mut bytes) =
                        before.map_or((None, Vec::new()), |file| (Some(file.version), file.bytes));
                    bytes.push(n);
                    if files.write("list", version, &bytes).await.unwrap().is_some() {
                        break;
                    }
                }
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    let list = SharedFiles::open(&database.url).await.unwrap().read("list").await.unwrap().unwrap();
    assert_eq!((list.version, list.bytes.len()), (40, 40));
}
