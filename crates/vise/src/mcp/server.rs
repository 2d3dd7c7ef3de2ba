//! What the protocol asks of us, and what we know of a connection.

#![expect(deprecated, reason = "clients of today set the level of log lines this way")]

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::ErrorData;
use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, DiscoverResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
    ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
    ServerConfig, SetLevelRequestParams,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use vise_tools::{Effect, ToolError};

use super::call::{Running, call};
use super::list::{self, Here};
use super::telling::Level;
use super::workspaces::Workspaces;
use super::{prompts, resources, roots};
use crate::cli::Global;

/// What all connections share.
pub(super) struct Shared {
    pub(super) workspaces: Workspaces,
    pub(super) running: Running,
    /// Whose turn it is to use the processors.
    pub(super) turns: Arc<Semaphore>,
    /// Ends everything.
    pub(super) ended: CancellationToken,
    quiet: bool,
}

impl Shared {
    pub(super) fn new(global: Global, ended: CancellationToken) -> Result<Self, ToolError> {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Ok(Self {
            quiet: global.quiet,
            workspaces: Workspaces::new(global)?,
            running: Running::default(),
            turns: Arc::new(Semaphore::new(2 * processors)),
            ended,
        })
    }
}

/// One connection's server.
#[derive(Clone)]
pub(super) struct Server {
    pub(super) shared: Arc<Shared>,
    pub(super) conversation: Arc<Conversation>,
}

/// What we know of a connection.
pub(super) struct Conversation {
    /// Whose questions these are; what is new is new to a conversation.
    pub(super) id: String,
    pub(super) level: Level,
    /// What the client has open, once it was asked.
    roots: tokio::sync::Mutex<Option<Vec<PathBuf>>>,
    /// What was last told to be here.
    here: Mutex<Option<Here>>,
    warned: Mutex<HashSet<String>>,
    /// Of each tool the calls, and the bytes that were answered.
    counts: Mutex<BTreeMap<&'static str, (usize, usize)>>,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Conversation {
    pub(super) fn count(&self, tool: &'static str, bytes: usize) {
        let mut counts = lock(&self.counts);
        let (calls, answered) = counts.entry(tool).or_default();
        *calls += 1;
        *answered += bytes;
    }
}

impl Server {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        let mut random = [0; 8];
        // Without randomness the address of the connection's own memory tells it from the others of this process.
        let number = match getrandom::fill(&mut random) {
            Ok(()) => u64::from_ne_bytes(random),
            Err(_) => Arc::as_ptr(&shared) as usize as u64,
        };
        let conversation = Arc::new(Conversation {
            id: format!("mcp-{}-{number:016x}", std::process::id()),
            level: Level::default(),
            roots: tokio::sync::Mutex::default(),
            here: Mutex::default(),
            warned: Mutex::default(),
            counts: Mutex::default(),
        });
        Self { shared, conversation }
    }

    /// What the client has open. It is asked once, and again when it says that this changed.
    pub(super) async fn roots(&self, peer: &Peer<RoleServer>) -> Vec<PathBuf> {
        let mut known = self.conversation.roots.lock().await;
        match &*known {
            Some(roots) => roots.clone(),
            None => known.insert(roots::of_client(peer).await).clone(),
        }
    }

    /// What of the tools can work in a client's workspaces.
    async fn here(&self, clients: Vec<PathBuf>) -> Here {
        let shared = self.shared.clone();
        let looked = tokio::task::spawn_blocking(move || shared.workspaces.here(&clients)).await;
        let here = looked.unwrap_or_default();
        *lock(&self.conversation.here) = Some(here.clone());
        here
    }

    /// Tells a warning that this connection was not told yet.
    pub(super) async fn warn_once(&self, peer: &Peer<RoleServer>, warning: String) {
        if lock(&self.conversation.warned).insert(warning.clone()) {
            self.conversation.level.warning(peer, warning).await;
        }
    }

    /// What follows from a call that did something.
    pub(super) async fn after(&self, effect: Effect, peer: &Peer<RoleServer>) {
        if effect == Effect::Reads {
            return;
        }
        let _ = peer.notify_resource_list_changed().await;
        let before = lock(&self.conversation.here).clone();
        // A new file may be one that a server serves; that there is one already stays true.
        if let (Effect::Writes, Some(before)) = (effect, before)
            && before.servers.is_empty()
        {
            let clients = self.roots(peer).await;
            if self.here(clients).await != before {
                let _ = peer.notify_tool_list_changed().await;
            }
        }
    }

    /// Says on the standard error what a connection that ended has cost. Clients keep that as our log.
    pub(super) fn say_counts(&self) {
        let counts = lock(&self.conversation.counts);
        let bytes: usize = counts.values().map(|(_, bytes)| bytes).sum();
        let calls: Vec<String> = counts.iter().map(|(tool, (calls, _))| format!("{tool} {calls}")).collect();
        if !self.shared.quiet && !calls.is_empty() {
            eprintln!("vise mcp: calls: {}; {bytes} bytes answered", calls.join(", "));
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_prompts()
            .enable_logging()
            .build();
        let here = lock(&self.conversation.here).clone().unwrap_or_default();
        let about = Implementation::new("vise", env!("CARGO_PKG_VERSION"))
            .with_title("Vise")
            .with_description(env!("CARGO_PKG_DESCRIPTION"));
        ServerConfig::new(capabilities)
            .with_server_info(about)
            .with_instructions(list::instructions(&here, &self.shared.workspaces.languages()))
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // The instructions say what is absent, and nobody may ask the client for its roots before it has our answer.
        self.here(Vec::new()).await;
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    /// How a client begins that shakes no hands.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.here(Vec::new()).await;
        Ok(DiscoverResult::from_server_info(self.supported_protocol_versions().into_owned(), self.get_info()))
    }

    async fn set_level(&self, request: SetLevelRequestParams, _: RequestContext<RoleServer>) -> Result<(), ErrorData> {
        self.conversation.level.set(request.level);
        Ok(())
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        *self.conversation.roots.lock().await = None;
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let clients = self.roots(&context.peer).await;
        let here = self.here(clients).await;
        Ok(ListToolsResult::with_all_items(list::tools(&here)))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        Ok(call(self, request, context).await?.into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(resources::list(self, &context.peer).await?))
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        Ok(resources::read(self, request.uri, &context.peer).await?.into())
    }

    async fn list_prompts(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        Ok(prompts::get(&request.name, &request.arguments.unwrap_or_default())?.into())
    }
}
