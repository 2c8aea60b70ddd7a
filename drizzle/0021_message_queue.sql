CREATE TABLE `queue_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`position` integer NOT NULL,
	`message` text NOT NULL,
	`attachments` text NOT NULL,
	`model` text,
	`model_provider` text,
	`explicit_model_pick` integer NOT NULL,
	`workspace` text,
	`size_bytes` integer NOT NULL,
	`not_before` real,
	`version` integer NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `queue_entries_by_session` ON `queue_entries` (`session_id`,`position`);--> statement-breakpoint
CREATE INDEX `queue_entries_by_time` ON `queue_entries` (`not_before`) WHERE not_before is not null;--> statement-breakpoint
CREATE TABLE `queues` (
	`session_id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`held_reason` text,
	`resumed_at` real,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
