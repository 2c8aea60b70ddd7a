CREATE TABLE `foreign_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`source` text NOT NULL,
	`path` text NOT NULL,
	`read_bytes` integer NOT NULL,
	`inode` integer NOT NULL,
	`modified_at` real NOT NULL,
	`title` text,
	`workspace` text,
	`model` text,
	`message_count` integer DEFAULT 0 NOT NULL,
	`user_message_count` integer DEFAULT 0 NOT NULL,
	`input_tokens` integer DEFAULT 0 NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`created_at` real NOT NULL,
	`last_message_at` real NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `foreign_sessions_by_path` ON `foreign_sessions` (`path`);--> statement-breakpoint
CREATE INDEX `foreign_sessions_by_activity` ON `foreign_sessions` (`last_message_at`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`color` text,
	`profile` text NOT NULL,
	`created_at` real NOT NULL
);
--> statement-breakpoint
CREATE INDEX `projects_by_profile` ON `projects` (`profile`,`created_at`);--> statement-breakpoint
CREATE TABLE `shares` (
	`token_hash` text PRIMARY KEY NOT NULL,
	`session_id` text NOT NULL,
	`title` text NOT NULL,
	`html` text NOT NULL,
	`created_at` real NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE INDEX `shares_by_session` ON `shares` (`session_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `redacted_body` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `redacted_card` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `worktree_repo_root` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `worktree_created_at` real;--> statement-breakpoint
ALTER TABLE `sessions` ADD `draft` text;--> statement-breakpoint
CREATE VIRTUAL TABLE `message_texts` USING fts5(text, content='', contentless_delete=1, tokenize='trigram remove_diacritics 1');--> statement-breakpoint
CREATE TRIGGER `messages_indexed` AFTER INSERT ON `messages` WHEN new.role IN ('user', 'assistant') BEGIN
  INSERT INTO message_texts(rowid, text) VALUES (new.id, json_extract(new.body, '$.content'));
END;--> statement-breakpoint
CREATE TRIGGER `messages_unindexed` AFTER DELETE ON `messages` WHEN old.role IN ('user', 'assistant') BEGIN
  DELETE FROM message_texts WHERE rowid = old.id;
END;--> statement-breakpoint
-- portions: messages
INSERT INTO message_texts(rowid, text) SELECT id, json_extract(body, '$.content') FROM messages WHERE role IN ('user', 'assistant') AND rowid > :after AND rowid <= :upto;
