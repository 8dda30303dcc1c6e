;; Run in Emacs without a terminal after the settings: opens a file, connects as M-x eglot does, and prints what the user is told.

(require 'package)
(package-initialize)
(unless (require 'eglot nil t)
  (message "no eglot")
  (kill-emacs 0))

(setq eglot-sync-connect t)

(defun budgetlint-opened (file)
  "Open FILE and start its server."
  (with-current-buffer (find-file-noselect file)
    (unless (= fill-column 33)
      (error "The folder's .dir-locals.el was not read"))
    (condition-case wrong
        (progn
          (call-interactively #'eglot)
          (unless (eglot-current-server)
            (error "No server"))
          (dolist (process (process-list)) ; nothing is to be answered while Emacs ends
            (set-process-filter process #'ignore)
            (set-process-sentinel process #'ignore)
            (delete-process process)))
      (user-error (message "%s" (error-message-string wrong))))))
