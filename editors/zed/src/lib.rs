//! Starts `contexture mcp` as the server of Zed's agent.

use zed::process;
use zed::settings::ContextServerSettings;
use zed_extension_api::{
    self as zed, Command, ContextServerConfiguration, ContextServerId, Os, Project, Result,
};

/// What a person can do where the program is not found.
const HINT: &str = "install it as its README says and start Zed again, or set \
                    context_servers.contexture.settings.path to its absolute path";

/// The extension. It keeps no state: the program is looked up at each start.
struct Contexture;

impl zed::Extension for Contexture {
    fn new() -> Self {
        Contexture
    }

    fn context_server_command(
        &mut self,
        id: &ContextServerId,
        project: &Project,
    ) -> Result<Command> {
        let settings = ContextServerSettings::for_project(id.as_ref(), project)?;
        let path = settings
            .settings
            .as_ref()
            .and_then(|settings| settings.get("path")?.as_str())
            .unwrap_or_default();
        let (os, _) = zed::current_platform();
        Ok(Command {
            command: match path {
                "" => look_up(os)?,
                _ if is_absolute(os, path) => path.to_string(),
                _ => return Err(format!("the setting path is not absolute: {path}")),
            },
            args: vec!["mcp".to_string()],
            env: Vec::new(),
        })
    }

    fn context_server_configuration(
        &mut self,
        _id: &ContextServerId,
        _project: &Project,
    ) -> Result<Option<ContextServerConfiguration>> {
        Ok(Some(ContextServerConfiguration {
            installation_instructions: include_str!("../configuration/instructions.md").to_string(),
            settings_schema: include_str!("../configuration/settings_schema.json").to_string(),
            default_settings: include_str!("../configuration/default_settings.jsonc").to_string(),
        }))
    }
}

/// Returns the program's absolute path, as the system finds it in PATH. Zed takes a mere name for a
/// file of the extension's own folder.
fn look_up(os: Os) -> Result<String> {
    let output = match os {
        // npm leaves a script without a suffix beside the one that Windows can start.
        Os::Windows => process::Command::new("where")
            .args(["contexture.exe", "contexture.cmd"])
            .output(),
        Os::Mac | Os::Linux => process::Command::new("sh")
            .args(["-c", "command -v contexture"])
            .output(),
    }
    .map_err(|error| format!("contexture cannot be looked up in PATH: {error}; {HINT}"))?;
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .map(str::trim)
        .find(|line| is_absolute(os, line))
        .map(str::to_string)
        .ok_or_else(|| format!("contexture is not in PATH; {HINT}"))
}

/// Reports whether a path begins at a root, on Windows with a drive or as a share. What the standard
/// library calls absolute is absolute in WebAssembly.
fn is_absolute(os: Os, path: &str) -> bool {
    match os {
        Os::Windows => path.starts_with(r"\\") || matches!(path.get(1..3), Some(":\\" | ":/")),
        Os::Mac | Os::Linux => path.starts_with('/'),
    }
}

zed::register_extension!(Contexture);
