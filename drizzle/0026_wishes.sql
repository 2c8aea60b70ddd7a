ALTER TABLE `queue_entries` ADD `effort` text;--> statement-breakpoint
ALTER TABLE `queue_entries` ADD `personality` text;--> statement-breakpoint
ALTER TABLE `streams` ADD `effort` text;--> statement-breakpoint
ALTER TABLE `streams` ADD `personality` text;