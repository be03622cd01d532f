//! What the commands say when the journal is in PostgreSQL.

use testkit::PostgresCluster;

use crate::program;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_doctor_and_the_commands_know_the_database() {
    let cluster = tokio::task::spawn_blocking(PostgresCluster::shared).await.unwrap();
    let url = cluster.database();
    let on = program().with("DWELL_STORE_URL", &url);
    let doctor = async |program: &testkit::Program| {
        let ran = program.run(&["doctor"]).await;
        ran.stdout.lines().find(|line| line.contains("database")).unwrap_or_default().to_owned()
    };
    assert!(doctor(&on).await.contains("no schema yet"));
    on.start().await.stop().await;
    let line = doctor(&on).await;
    assert!(line.contains("schema 1; a commit takes"), "{line}");
    for (command, instead) in
        [(&["backup", "copies"][..], "pg_dump"), (&["restore", "copies"], "pg_restore"), (&["verify"], "pg_amcheck")]
    {
        let refused = on.run(command).await;
        assert!(refused.code() != 0 && refused.stderr.contains(instead), "{command:?}: {refused:?}");
    }
    // The variable of the hosts counts only when it is asked for.
    let asked = program().with("DWELL_STORE_URL", "env").with("DATABASE_URL", &url);
    assert!(doctor(&asked).await.contains("schema 1"));
    let silent = program().with("DATABASE_URL", &url);
    assert_eq!(doctor(&silent).await, "");
    let missing = program().with("DWELL_STORE_URL", "env");
    assert!(doctor(&missing).await.contains("DATABASE_URL is not set"));
    // The address is shown without its password, and a wrong one is named.
    let secret = program().with("DWELL_STORE_URL", "postgres://ada:geheim@127.0.0.1:1/none");
    let shown = secret.run(&["config"]).await;
    assert!(!shown.stdout.contains("geheim") && shown.stdout.contains("127.0.0.1:1"), "{}", shown.stdout);
    assert!(doctor(&secret).await.contains("the database is away"));
    let wrong = program().with("DWELL_STORE_URL", "mysql://ada@127.0.0.1/none");
    let refused = wrong.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(refused.code() != 0 && refused.stderr.contains("postgres://"), "{refused:?}");
}
