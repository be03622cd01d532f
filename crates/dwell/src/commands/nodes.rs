//! `dwell nodes`: the nodes that use the same database.

use protocol::{NodePage, NodeView};

use crate::{command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    let page: NodePage = client.get("/nodes").await?;
    if config.output.json {
        return print_json(&page);
    }
    if page.data.is_empty() {
        client.output.remark("the journal is in a data folder, which only one node can use; see `store.url`");
    }
    page.data.iter().for_each(print);
    Ok(())
}

fn print(node: &NodeView) {
    let NodeView { node_id, version, is_this, status, address, started_at, lease_left_ms, owners, sessions } = node;
    let mark = if *is_this { "*" } else { " " };
    let address = address.as_deref().unwrap_or("no address");
    println!(
        "{mark} {node_id}  {:7}  {version}  {address}  since {started_at}  lease {lease_left_ms} ms  \
         {owners} owners  {sessions} sessions",
        status.name()
    );
}
