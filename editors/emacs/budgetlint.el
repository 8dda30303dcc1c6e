;;; budgetlint.el --- budgetlint with eglot (Emacs 29 and newer)  -*- lexical-binding: t; -*-

;; Load it from the init file: (load "/path/to/budgetlint.el"), then M-x eglot in a config or a budget, or (eglot-ensure) in a hook.
;; Eglot starts one server for a mode: where yaml-language-server is wanted too, leave the yaml modes out of `budgetlint-modes'.

(defvar eglot-server-programs)

(defvar budgetlint-modes
  '(budget-mode yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode conf-toml-mode toml-ts-mode sh-mode bash-ts-mode
    makefile-gmake-mode dockerfile-mode dockerfile-ts-mode)
  "Modes of the files that `budgetlint lsp' is started for.")

(defun budgetlint-command (&rest _)
  "The budgetlint of the project's environment, else the one on PATH."
  (let* ((root (locate-dominating-file default-directory ".venv"))
         (program (and root (expand-file-name ".venv/bin/budgetlint" root))))
    (list (if (and program (file-executable-p program)) program "budgetlint") "lsp")))

(defvar budget-mode-font-lock
  '(("\\(?:^\\|[;{}]\\)[ \t]*\\([a-z]+\\)\\_>" 1 font-lock-keyword-face)
    ("\\_<\\([A-Za-z_][[:alnum:]_.-]*\\)[ \t]*=[^=]" 1 font-lock-variable-name-face)
    ("\\$[A-Za-z_][[:alnum:]_-]*" . font-lock-variable-name-face)))

(define-derived-mode budget-mode prog-mode "Budget"
  "Budgets of budgetlint."
  (setq-local comment-start "# " comment-start-skip "#+[ \t]*" font-lock-defaults '(budget-mode-font-lock))
  (modify-syntax-entry ?# "<")
  (modify-syntax-entry ?\n ">")
  (modify-syntax-entry ?' "\""))

(add-to-list 'auto-mode-alist '("\\(?:\\.budget\\|/budget\\.lock\\)\\'" . budget-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs (cons budgetlint-modes #'budgetlint-command)))

(provide 'budgetlint)
;;; budgetlint.el ends here
