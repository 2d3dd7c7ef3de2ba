//! What a person may look at, or put into a conversation: pending proposals, and the map of a workspace.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, Resource, ResourceContents, ResourceTemplate};
use rmcp::service::{Peer, RoleServer};
use vise_tools::{ErrorKind, Graph, GraphOp, Input as _, Proposals, Session, Show, ToolError};

use super::server::{Server, Shared};
use crate::run::bug;

const PROPOSAL: &str = "vise://proposal/";
const MAP: &str = "vise://map";
const DIFF: &str = "text/x-diff";

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(format!("{PROPOSAL}{{id}}"), "proposal")
            .with_description("The diff of a proposal")
            .with_mime_type(DIFF),
    ]
}

/// The map of each workspace, and its pending proposals.
pub(super) async fn list(server: &Server, peer: &Peer<RoleServer>) -> Result<Vec<Resource>, ErrorData> {
    let clients = server.roots(peer).await;
    at_work(server, move |shared, conversation| {
        let roots = shared.workspaces.known(&clients)?;
        let mut resources = Vec::new();
        for (number, root) in roots.iter().enumerate() {
            let session = session(shared, root.clone(), conversation)?;
            let name = root.file_name().unwrap_or(root.as_os_str()).to_string_lossy();
            let uri = if number == 0 { MAP.to_owned() } else { format!("{MAP}/{number}") };
            resources.push(
                Resource::new(uri, format!("map of {name}"))
                    .with_description("The files and symbols that matter most")
                    .with_mime_type("text/plain"),
            );
            for one in Proposals::default().run(&session)?.proposals {
                if one.state.to_string() == "pending" {
                    let about = format!("{} changes in {}", one.changes, one.files.join(", "));
                    let resource = Resource::new(format!("{PROPOSAL}{}", one.proposal), one.proposal);
                    resources.push(resource.with_description(about).with_mime_type(DIFF));
                }
            }
        }
        Ok(resources)
    })
    .await
}

/// A proposal's diff, or a map.
pub(super) async fn read(
    server: &Server,
    uri: String,
    peer: &Peer<RoleServer>,
) -> Result<ReadResourceResult, ErrorData> {
    let clients = server.roots(peer).await;
    at_work(server, move |shared, conversation| {
        let roots = shared.workspaces.known(&clients)?;
        if let Some(id) = uri.strip_prefix(PROPOSAL) {
            let session = session(shared, shared.workspaces.default_root(&roots)?, conversation)?;
            let patch = Show { proposal: id.to_owned() }.run(&session)?.patch();
            let text = String::from_utf8(patch).map_err(|_| {
                ToolError::new(ErrorKind::Unsupported, format!("the diff of `{id}` is not UTF-8"))
                    .hint(format!("`vise show {id} --format patch` prints it"))
            })?;
            return Ok(contents(text, &uri, DIFF));
        }
        let number = match uri.strip_prefix(MAP) {
            Some("") => Some(0),
            Some(rest) => rest.strip_prefix('/').and_then(|number| number.parse::<usize>().ok()),
            None => None,
        };
        let root = number.and_then(|number| roots.get(number));
        let root = root.ok_or_else(|| ToolError::new(ErrorKind::NotFound, format!("there is no resource `{uri}`")))?;
        let map = Graph { op: GraphOp::Map, ..Graph::default() };
        let text = map.run(&session(shared, root.clone(), conversation)?)?.to_string();
        Ok(contents(text, &uri, "text/plain"))
    })
    .await
}

fn contents(text: String, uri: &str, kind: &str) -> ReadResourceResult {
    ReadResourceResult::new(vec![ResourceContents::text(text, uri).with_mime_type(kind)])
}

fn session(shared: &Shared, root: PathBuf, conversation: &str) -> Result<Session, ToolError> {
    let (session, _) = shared.workspaces.session(root, conversation, Arc::new(AtomicBool::new(false)))?;
    Ok(session)
}

/// Does what takes a while where it keeps no message waiting.
async fn at_work<T: Send + 'static>(
    server: &Server,
    work: impl FnOnce(&Shared, &str) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ErrorData> {
    let (shared, conversation) = (server.shared.clone(), server.conversation.id.clone());
    let done = tokio::task::spawn_blocking(move || work(&shared, &conversation)).await;
    done.unwrap_or_else(|_| Err(bug())).map_err(|error| match error.kind {
        ErrorKind::NotFound => ErrorData::resource_not_found(error.to_string(), None),
        ErrorKind::Internal => ErrorData::internal_error(error.to_string(), None),
        _ => ErrorData::invalid_params(error.to_string(), None),
    })
}
