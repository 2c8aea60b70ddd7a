CREATE TABLE `memory_versions` (
	`id` integer PRIMARY KEY NOT NULL,
	`profile` text NOT NULL,
	`section` text NOT NULL,
	`text` text,
	`author` text NOT NULL,
	`created_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `memory_versions_by_section` ON `memory_versions` (`profile`,`section`,`id`);