ALTER TABLE `projects` ADD `workspace` text;--> statement-breakpoint
ALTER TABLE `projects` ADD `instructions` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `version_index` integer;