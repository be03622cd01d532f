//! `dwell approvals`: what waits for a yes or a no, and the answer.

use protocol::{ApprovalPage, Decision};

use crate::{
    cli::{Approvals, Said},
    config::Config,
    failure::Failure,
    print_json,
};

pub(crate) async fn run(config: &Config, command: Approvals) -> Result<(), Failure> {
    let client = crate::client(config)?;
    match command {
        Approvals::List { json } => {
            let page: ApprovalPage = client.get("/approvals").await?;
            if json {
                return print_json(&page);
            }
            if page.data.is_empty() {
                println!("nothing waits for an answer");
            }
            for open in page.data {
                let request = open.request;
                println!("{}  {} {}", request.approval_id, request.tool, request.arguments);
                println!("    {}; no answer is a no at {}", request.reason, request.expires_at);
            }
            Ok(())
        }
        Approvals::Answer { id, decision } => {
            let id =
                id.parse().map_err(|error| Failure::Usage(format!("{error}; `dwell approvals list` shows them")))?;
            let decision = match decision {
                Said::Once => Decision::Once,
                Said::Always => Decision::Always,
                Said::Deny => Decision::Deny,
                Said::Never => Decision::Never,
            };
            client.answer_approval(id, decision, None).await?;
            println!("answered {id}");
            Ok(())
        }
    }
}
