ALTER TABLE `sessions` ADD `last_said` text;--> statement-breakpoint
ALTER TABLE `sessions` ADD `redacted_last_said` text;--> statement-breakpoint
-- portions: sessions
-- What is too large or no JSON is not looked into: that is what the order of each CASE is for.
UPDATE `sessions` SET (`last_said`, `redacted_last_said`) = (
  SELECT substr(plain, 1, 400), nullif(substr(masked, 1, 400), substr(plain, 1, 400)) FROM (
    SELECT position,
      ltrim(CASE WHEN octet_length(body) > 33554432 THEN '' WHEN NOT json_valid(body) THEN ''
        WHEN json_type(body, '$.content') = 'text' THEN body ->> '$.content' ELSE '' END, char(9, 10, 13, 32)) AS plain,
      ltrim(CASE WHEN octet_length(coalesce(redacted_body, body)) > 33554432 THEN '' WHEN NOT json_valid(coalesce(redacted_body, body)) THEN ''
        WHEN json_type(coalesce(redacted_body, body), '$.content') = 'text' THEN coalesce(redacted_body, body) ->> '$.content' ELSE '' END, char(9, 10, 13, 32)) AS masked
    FROM messages WHERE session_id = sessions.id AND role IN ('user', 'assistant')
  ) WHERE plain <> '' ORDER BY position DESC LIMIT 1
) WHERE message_count > 0 AND rowid > :after AND rowid <= :upto;
