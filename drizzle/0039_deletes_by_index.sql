CREATE INDEX `check_runs_by_check` ON `check_runs` (`check_id`);--> statement-breakpoint
CREATE INDEX `prompts_by_session` ON `prompts` (`session_id`);