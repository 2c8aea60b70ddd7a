CREATE TABLE `followed_pulls` (
	`id` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`host` text NOT NULL,
	`repository` text NOT NULL,
	`number` integer NOT NULL,
	`seen` text NOT NULL,
	`unchanged` integer NOT NULL,
	`next_look_at` real NOT NULL,
	`changed_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `followed_pulls_due` ON `followed_pulls` (`next_look_at`);--> statement-breakpoint
CREATE INDEX `followed_pulls_by_session` ON `followed_pulls` (`session_id`);--> statement-breakpoint
ALTER TABLE `push_subscriptions` ADD `pulls` integer DEFAULT true NOT NULL;