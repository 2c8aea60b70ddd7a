ALTER TABLE `goals` ADD `paused_code` text;--> statement-breakpoint
ALTER TABLE `queue_entries` ADD `message_source` text;