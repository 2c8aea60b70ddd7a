CREATE TABLE `view_calls` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`call_id` text NOT NULL,
	`server` text NOT NULL,
	`tool` text,
	`args` text NOT NULL,
	`state` text NOT NULL,
	`answer` text NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `view_calls_by_session` ON `view_calls` (`session_id`,`created_at`);