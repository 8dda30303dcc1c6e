use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Budgetlint;

impl zed::Extension for Budgetlint {
    fn new() -> Self {
        Budgetlint
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree.which("budgetlint").ok_or("budgetlint is not on PATH: pipx install budgetlint, or uv tool install budgetlint")?;
        // `which` reads relative entries of PATH from the opened folder, where somebody else may have written what lies there
        if !is_outside(&command, &worktree.root_path()) {
            return Err(format!("{command} came with the folder that is open: name it in your settings, lsp.budgetlint.binary.path"));
        }
        Ok(Command { command, args: vec!["lsp".to_string()], env: worktree.shell_env() })
    }
}

/// Both as texts: an extension sees no disk, and a path of the host may be one of Windows.
fn is_outside(place: &str, folder: &str) -> bool {
    let [place, folder] = [place, folder].map(|path| path.replace('\\', "/").to_lowercase());
    let is_absolute = place.starts_with('/') || place.get(1..3) == Some(":/");
    is_absolute && !format!("{place}/").starts_with(&format!("{}/", folder.trim_end_matches('/'))) && !place.contains("/../")
}

zed::register_extension!(Budgetlint);
