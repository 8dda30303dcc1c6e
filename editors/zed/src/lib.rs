use zed_extension_api::{self as zed, Command, LanguageServerId, Result, Worktree};

struct Budgetlint;

impl zed::Extension for Budgetlint {
    fn new() -> Self {
        Budgetlint
    }

    fn language_server_command(&mut self, _id: &LanguageServerId, worktree: &Worktree) -> Result<Command> {
        let command = worktree
            .which("budgetlint")
            .ok_or_else(|| "budgetlint is not on PATH: pip install budgetlint".to_string())?;
        Ok(Command { command, args: vec!["lsp".to_string()], env: worktree.shell_env() })
    }
}

zed::register_extension!(Budgetlint);
