CREATE TABLE `background_tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`parent_session_id` text NOT NULL,
	`session_id` text NOT NULL,
	`stream_id` text NOT NULL,
	`prompt` text NOT NULL,
	`state` text NOT NULL,
	`answer` text,
	`created_at` real NOT NULL,
	`completed_at` real,
	`fetched_at` real,
	FOREIGN KEY (`parent_session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `background_tasks_by_parent` ON `background_tasks` (`parent_session_id`,`state`);--> statement-breakpoint
CREATE INDEX `background_tasks_by_session` ON `background_tasks` (`session_id`);--> statement-breakpoint
CREATE TABLE `goals` (
	`session_id` text PRIMARY KEY NOT NULL,
	`goal` text NOT NULL,
	`status` text NOT NULL,
	`turns_used` integer DEFAULT 0 NOT NULL,
	`max_turns` integer NOT NULL,
	`last_verdict` text,
	`last_reason` text,
	`paused_reason` text,
	`continuation` text,
	`created_at` real NOT NULL,
	`updated_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `goals_active` ON `goals` (`status`) WHERE status = 'active';--> statement-breakpoint
ALTER TABLE `prompts` ADD `call_id` text;--> statement-breakpoint
ALTER TABLE `prompts` ADD `beside` integer DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `compression_summary` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `compressed_before` integer;--> statement-breakpoint
CREATE INDEX `sessions_hidden` ON `sessions` (`source`) WHERE hidden = 1;