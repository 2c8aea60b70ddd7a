CREATE INDEX `job_use_by_date` ON `job_use` (`date`);--> statement-breakpoint
CREATE INDEX `prompts_by_arrival` ON `prompts` (`arrival`);--> statement-breakpoint
CREATE INDEX `sessions_by_project` ON `sessions` (`project_id`,`id`) WHERE project_id is not null;--> statement-breakpoint
CREATE INDEX `tool_use_by_date` ON `tool_use` (`date`);