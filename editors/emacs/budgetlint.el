;;; budgetlint.el --- budgetlint with eglot (Emacs 29, or 28 with the package)  -*- lexical-binding: t; -*-

;; Load it from the init file: (load "/path/to/budgetlint.el"), then M-x eglot in a config or a budget, or (eglot-ensure) in a hook.
;; Eglot starts one server for a mode: where yaml-language-server is wanted too, leave the yaml modes out of `budgetlint-modes'.

(require 'project)
(require 'seq)

(defvar eglot-server-programs)

(defvar budgetlint-modes
  '(budget-mode yaml-mode yaml-ts-mode json-mode json-ts-mode js-json-mode conf-toml-mode toml-ts-mode sh-mode bash-ts-mode
    makefile-gmake-mode dockerfile-mode dockerfile-ts-mode)
  "Modes of the files that `budgetlint lsp' is started for.")

;; What comes with a folder may have been written by somebody else: nothing of it is started, and none of its .dir-locals.el counts here
;; (only the values that your init file gives are read), until `budgetlint-trusted' names it.

(defgroup budgetlint nil "What a training run will hold in GPU memory." :group 'tools)

(defcustom budgetlint-program "budgetlint"
  "The language server: a name on `exec-path', or an absolute file name."
  :type 'string :risky t)

(defcustom budgetlint-trusted nil
  "Folders whose projects start the budgetlint of their own environment.
That is .venv, venv or env at the top of a project at or below them."
  :type '(repeat directory) :risky t)

(defun budgetlint--lies-in (place folder)
  "Is PLACE at or below FOLDER: as it is written, or with links resolved?"
  (or (string-prefix-p (file-name-as-directory (expand-file-name folder)) (file-name-as-directory (expand-file-name place)))
      (file-in-directory-p place folder)))

(defun budgetlint--checkout (folder)
  "All that came with FOLDER: the outermost repository around it.
A whole home is none: that is your own."
  (let* ((home (concat (file-remote-p folder) "~/")) (found folder) (outer (locate-dominating-file folder ".git")))
    (while (and outer (not (budgetlint--lies-in home outer)))
      (setq found outer
            outer (locate-dominating-file (file-name-directory (directory-file-name (expand-file-name outer))) ".git")))
    found))

(defun budgetlint--on-path (name folder)
  "The first program NAME of `exec-path' that did not come with FOLDER."
  (let* ((whole (budgetlint--checkout folder)) (host (file-remote-p folder)) (own (budgetlint--lies-in (concat host "~/") whole)))
    (seq-some (lambda (entry)
                (and entry (file-name-absolute-p entry)
                     (let* ((folder (concat host entry))
                            (place (locate-file name (list folder) exec-suffixes #'file-executable-p)))
                       (and place (file-regular-p place)
                            (or own (not (or (budgetlint--lies-in folder whole) (budgetlint--lies-in place whole))))
                            place))))
              (exec-path))))

(defun budgetlint--in-environment (folder)
  "The program of FOLDER itself, where `budgetlint-trusted' names that."
  (when (seq-some (lambda (one) (and (file-name-absolute-p one) (file-in-directory-p folder one))) (default-value 'budgetlint-trusted))
    (seq-find #'file-executable-p
              (mapcar (lambda (name) (expand-file-name name folder))
                      (if (eq system-type 'windows-nt)
                          '(".venv/Scripts/budgetlint.exe" "venv/Scripts/budgetlint.exe" "env/Scripts/budgetlint.exe")
                        '(".venv/bin/budgetlint" "venv/bin/budgetlint" "env/bin/budgetlint"))))))

(defun budgetlint--program (folder)
  "What is started for FOLDER."
  (let ((program (default-value 'budgetlint-program)))
    (cond ((file-name-absolute-p program) (concat (file-remote-p folder) (expand-file-name program)))
          ((file-name-directory program)
           (user-error "`budgetlint-program' is %s: an absolute file name, or a name on `exec-path', is started" program))
          ((budgetlint--in-environment folder))
          ((budgetlint--on-path program folder))
          (t (user-error "No %s on `exec-path' outside %s: install it with pipx or uv, or see `budgetlint-trusted'" program folder)))))

(defun budgetlint-command (&rest _)
  "What `eglot-server-programs' holds: eglot would start it in the project."
  (let* ((project (project-current))
         (program (budgetlint--program (if project (project-root project) default-directory))))
    (list 'eglot-lsp-server
          :process (lambda ()
                     (let ((default-directory (file-name-directory program)))
                       (make-process :name "budgetlint" :command (list (file-local-name program) "lsp") :connection-type 'pipe
                                     :coding 'utf-8-emacs-unix :noquery t :stderr (get-buffer-create "*budgetlint stderr*")
                                     :file-handler t))))))

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
