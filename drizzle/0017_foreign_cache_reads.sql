ALTER TABLE `foreign_sessions` ADD `cache_read_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
UPDATE `foreign_sessions` SET `inode` = 0;
