ALTER TABLE `streams` ADD `finished_at` real;--> statement-breakpoint
ALTER TABLE `streams` ADD `files_changed` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `streams_by_finish` ON `streams` (`finished_at`) WHERE finished_at is not null and kind in ('chat', 'goal', 'cron');