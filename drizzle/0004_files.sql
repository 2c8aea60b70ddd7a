CREATE TABLE `checkpoints` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace` text NOT NULL,
	`session_id` text NOT NULL,
	`stream_id` text,
	`kind` text NOT NULL,
	`state` text NOT NULL,
	`reason` text,
	`tree` text,
	`file_count` integer,
	`created_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `checkpoints_by_workspace` ON `checkpoints` (`workspace`,`created_at`);--> statement-breakpoint
CREATE INDEX `checkpoints_by_stream` ON `checkpoints` (`stream_id`);--> statement-breakpoint
CREATE TABLE `trash` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace` text NOT NULL,
	`path` text NOT NULL,
	`is_folder` integer NOT NULL,
	`size_bytes` integer,
	`deleted_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `trash_by_workspace` ON `trash` (`workspace`,`deleted_at`);--> statement-breakpoint
CREATE INDEX `trash_by_time` ON `trash` (`deleted_at`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`profile` text NOT NULL,
	`path` text NOT NULL,
	`name` text NOT NULL,
	`position` integer NOT NULL,
	`created_at` real NOT NULL,
	PRIMARY KEY(`profile`, `path`)
);
