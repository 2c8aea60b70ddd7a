ALTER TABLE `frames` ADD `plain` text;--> statement-breakpoint
ALTER TABLE `streams` ADD `held` text;