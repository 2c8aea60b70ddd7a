-- Of a message in parts only its texts are looked for: a picture is no text, and indexing it takes seconds.
DROP TRIGGER `messages_indexed`;--> statement-breakpoint
CREATE TRIGGER `messages_indexed` AFTER INSERT ON `messages` WHEN new.role IN ('user', 'assistant') BEGIN
  INSERT INTO message_texts(rowid, text) VALUES (new.id, substr(CASE json_type(new.body, '$.content') WHEN 'array'
    THEN (SELECT group_concat(value ->> '$.text', char(10)) FROM json_each(new.body, '$.content') WHERE json_type(value, '$.text') = 'text')
    ELSE json_extract(new.body, '$.content') END, 1, 200000));
END;
