CREATE TABLE `plans` (
	`session_id` text NOT NULL,
	`version` integer NOT NULL,
	`text` text NOT NULL,
	`author` text NOT NULL,
	`created_at` real NOT NULL,
	`started_at` real,
	PRIMARY KEY(`session_id`, `version`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `mode` text DEFAULT 'default' NOT NULL;--> statement-breakpoint
ALTER TABLE `streams` ADD `planning` integer DEFAULT false NOT NULL;