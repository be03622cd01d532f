//! `dwell approvals`: calls that wait for approval, and the decision on them.

use protocol::{ApprovalDecision, ApprovalPage};
use serde_json::json;

use crate::{
    cli::{ApprovalsCommand, DecisionArg},
    command_error::CommandError,
    config::Config,
    print_json,
};

pub(crate) async fn run(config: &Config, command: ApprovalsCommand) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match command {
        ApprovalsCommand::List => {
            let page: ApprovalPage = client.get("/approvals").await?;
            if config.output.json {
                return print_json(&page);
            }
            if page.data.is_empty() {
                config.output.say("no calls wait for approval");
            }
            for open in page.data {
                let request = open.request;
                println!("{}  {} {}", request.approval_id, request.tool, request.arguments);
                println!("    {}; denied at {} unless answered", request.reason, request.expires_at);
            }
            Ok(())
        }
        ApprovalsCommand::Answer { id, decision } => {
            let id = id
                .parse()
                .map_err(|error| CommandError::Usage(format!("{error}; `dwell approvals list` shows them")))?;
            let decision = match decision {
                DecisionArg::Once => ApprovalDecision::Once,
                DecisionArg::Always => ApprovalDecision::Always,
                DecisionArg::Deny => ApprovalDecision::Deny,
                DecisionArg::Never => ApprovalDecision::Never,
            };
            client.answer_approval(id, decision, None).await?;
            config.output.done(&json!({ "approval_id": id, "decision": decision }), &format!("answered {id}"))
        }
    }
}
