/** The body of a request, and its answer; for a stream, one frame. */
interface Example { body?: object, answer: object }

/** Examples of the operations that a new client needs first, by method and path. Tests check each against its schema. */
export const examples: Readonly<Record<string, Example>> = {
  'GET /api/auth/status': {
    answer: {
      authenticated: false, password_required: true, auth_enabled: true, logged_in: false, password_auth_enabled: true,
      passkeys_enabled: false, passkeys_count: 0, passkey_feature_flag: false, passwordless_enabled: false, oidc_enabled: false,
      oidc_name: null, auth_disabled_acknowledged: false, token_scope: null, csrf_token: ''
    }
  },
  'POST /api/auth/login': { body: { password: 'correct horse battery staple' }, answer: { ok: true } },
  'GET /api/auth/tokens': {
    answer: {
      tokens: [
        {
          id: 'k3v9q2', name: 'Nightly report', scope: 'chat', kind: 'token', created_at: 1795886290, expires_at: null, is_expired: false,
          last_used_at: null, made_by: null, is_current: false
        }
      ]
    }
  },
  'POST /api/auth/tokens/create': {
    body: { name: 'Nightly report', scope: 'chat', expires_in_seconds: 31536000 },
    answer: {
      ok: true, token: 'svct_k3v9q2_the-rest-of-the-token',
      device: {
        id: 'k3v9q2', name: 'Nightly report', scope: 'chat', kind: 'token', created_at: 1795886290, expires_at: 1827422290,
        is_expired: false, last_used_at: null, made_by: null, is_current: false
      }
    }
  },
  'POST /api/auth/tokens/revoke': { body: { id: 'k3v9q2' }, answer: { ok: true, revoked: ['k3v9q2'], tokens: [] } },
  'POST /api/auth/tokens/pair': {
    body: { name: 'Ann\'s phone', scope: 'approve' },
    answer: { ok: true, id: 'k3v9q2', code: '7KQ4N-2XWRD', path: '/pair#7KQ4N-2XWRD', expires_at: 1795886590 }
  },
  'POST /api/auth/pair': {
    body: { code: '7KQ4N-2XWRD' },
    answer: {
      ok: true, token: 'svct_k3v9q2_the-rest-of-the-token',
      device: {
        id: 'k3v9q2', name: 'Ann\'s phone', scope: 'approve', kind: 'token', created_at: 1795886290, expires_at: null, is_expired: false,
        last_used_at: null, made_by: null, is_current: false
      }
    }
  },
  'POST /api/session/new': {
    body: { workspace: '/home/ann/site' },
    answer: {
      session: {
        session_id: '02e3fd3d5b3a', title: 'Untitled', display_title: 'Untitled', workspace: '/home/ann/site', model: 'gpt-5.2',
        model_provider: 'openai', message_count: 0, user_message_count: 0, created_at: 1795886287, updated_at: 1795886287,
        last_message_at: null, pinned: false, archived: false, project_id: null, profile: 'default', personality: null, input_tokens: 0,
        output_tokens: 0, cache_read_tokens: 0, cache_write_tokens: 0, cache_hit_percent: null, estimated_cost: null, context_length: null,
        window_usage_percent: null, session_source: 'webui', source_tag: 'webui', raw_source: 'webui', is_cli_session: false,
        is_messaging_session: false, is_streaming: false, active_stream_id: null, has_pending_user_message: false,
        pending_started_at: null, default_hidden: false, worktree_path: null, worktree_branch: null, worktree_repo_root: null,
        worktree_created_at: null, parent_session_id: null, relationship_type: null, read_only: false, is_read_only: false,
        attention: null, pending_user_message: null, pending_attachments: [], threshold_tokens: null, last_prompt_tokens: null,
        compression_anchor_visible_idx: null, compression_anchor_message_key: null, compression_anchor_summary: null, todo_state: null,
        composer_draft: null, runtime_journal: null, _messages_truncated: false, _messages_offset: 0, _msg_limit_max: 500, messages: [],
        tool_calls: []
      }
    }
  },
  'GET /api/sessions': {
    answer: {
      sessions: [
        {
          session_id: '02e3fd3d5b3a', title: 'Write notes.md', workspace: '/home/ann/site', model: 'gpt-5.2', model_provider: 'openai',
          profile: 'default', project_id: null, message_count: 4, created_at: 1795886287, updated_at: 1795886290,
          last_message_at: 1795886290, pinned: false, archived: false, session_source: 'webui', source_tag: 'webui', is_cli_session: false,
          read_only: false, is_streaming: false, active_stream_id: null, attention: null, worktree_branch: null, parent_session_id: null,
          relationship_type: null, preview: 'notes.md is written.'
        }
      ],
      pinned: [], next_cursor: null, version: 11
    }
  },
  'GET /api/session': {
    answer: {
      session: {
        session_id: '02e3fd3d5b3a', title: 'Write notes.md', display_title: 'Write notes.md', workspace: '/home/ann/site',
        model: 'gpt-5.2', model_provider: 'openai', message_count: 4, user_message_count: 1, created_at: 1795886287,
        updated_at: 1795886290, last_message_at: 1795886290, pinned: false, archived: false, project_id: null, profile: 'default',
        personality: null, input_tokens: 1035, output_tokens: 60, cache_read_tokens: 0, cache_write_tokens: 0, cache_hit_percent: null,
        estimated_cost: 0.0021, context_length: 256000, window_usage_percent: 0, session_source: 'webui', source_tag: 'webui',
        raw_source: 'webui', is_cli_session: false, is_messaging_session: false, is_streaming: false, active_stream_id: null,
        has_pending_user_message: false, pending_started_at: null, default_hidden: false, worktree_path: null, worktree_branch: null,
        worktree_repo_root: null, worktree_created_at: null, parent_session_id: null, relationship_type: null, read_only: false,
        is_read_only: false, attention: null, pending_user_message: null, pending_attachments: [], threshold_tokens: 128000,
        last_prompt_tokens: 615, compression_anchor_visible_idx: null, compression_anchor_message_key: null,
        compression_anchor_summary: null, todo_state: null, composer_draft: null,
        runtime_journal: {
          session_id: '02e3fd3d5b3a', run_id: 'd1b6b0d32e7182830f1b93983e77828c', last_seq: 12,
          last_event_id: 'd1b6b0d32e7182830f1b93983e77828c:12', last_event: 'stream_end', terminal: true, terminal_state: 'completed'
        },
        _messages_truncated: false, _messages_offset: 0, _msg_limit_max: 500,
        messages: [
          {
            role: 'user', content: 'Write "Hello" into notes.md', message_id: '1eab68d743da56cebbd9', timestamp: 1795886288,
            _ts: 1795886288
          },
          {
            role: 'assistant', content: '', message_id: 'c004dbccf537996d2775', timestamp: 1795886288, _ts: 1795886288,
            tool_calls: [
              { id: 'call_1', type: 'function', function: { name: 'write_file', arguments: '{"path":"notes.md","content":"Hello"}' } }
            ]
          },
          {
            role: 'tool', content: 'Created notes.md: 1 line, 5 bytes.', message_id: 'd367d99ddf7714d46074', timestamp: 1795886290,
            _ts: 1795886290, tool_call_id: 'call_1', name: 'write_file', duration: 0.015
          },
          {
            role: 'assistant', content: 'notes.md is written.', message_id: '2342c086613067e35947', timestamp: 1795886290, _ts: 1795886290,
            _turnTps: 26.3, _turnDuration: 2.225, _firstTokenMs: 330, _usedModel: 'gpt-5.2', _usedProvider: 'openai'
          }
        ],
        tool_calls: [
          {
            name: 'write_file', snippet: 'Created notes.md: 1 line, 5 bytes.', tid: 'call_1', assistant_msg_idx: 1,
            args: { path: 'notes.md', content: 'Hello' }, is_error: false, done: true, duration: 0.015
          }
        ]
      }
    }
  },
  'POST /api/chat/start': {
    body: {
      session_id: '02e3fd3d5b3a', message: 'What is in this picture?',
      attachments: [
        {
          name: 'plan.png', path: '/home/ann/.svc/webui/attachments/02e3fd3d5b3a/plan.png', mime: 'image/png', size: 48213, is_image: true
        }
      ],
      client_id: 'e1c6a0f2'
    },
    answer: {
      stream_id: 'd1b6b0d32e7182830f1b93983e77828c', session_id: '02e3fd3d5b3a', pending_started_at: 1795886290, turn_id: '5f0c9a1b7d3e',
      title: 'Write notes.md', effective_model: 'gpt-5.2', effective_model_provider: 'openai'
    }
  },
  'GET /api/chat/stream': { answer: { id: 'd1b6b0d32e7182830f1b93983e77828c:1', event: 'token', data: { text: 'Hello' } } },
  'GET /api/chat/stream/status': {
    answer: {
      active: false, stream_id: 'd1b6b0d32e7182830f1b93983e77828c', replay_available: true,
      journal: {
        session_id: '02e3fd3d5b3a', run_id: 'd1b6b0d32e7182830f1b93983e77828c', last_seq: 12,
        last_event_id: 'd1b6b0d32e7182830f1b93983e77828c:12', last_event: 'stream_end', terminal: true, terminal_state: 'completed'
      }
    }
  },
  'POST /api/chat/cancel': {
    body: { stream_id: 'd1b6b0d32e7182830f1b93983e77828c' },
    answer: { ok: true, cancelled: true, stream_id: 'd1b6b0d32e7182830f1b93983e77828c' }
  },
  'POST /api/chat/steer': {
    body: { session_id: '02e3fd3d5b3a', text: 'Use British spelling' },
    answer: { accepted: true, fallback: null, stream_id: 'd1b6b0d32e7182830f1b93983e77828c' }
  },
  'GET /api/approval/pending': {
    answer: {
      pending: {
        approval_id: '3f38b210ebab44ea', session_id: '02e3fd3d5b3a',
        command: 'write_file: notes.md (5 bytes)\n\n--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+Hello\n\\ No newline at end of file\n',
        description: 'Write notes.md', pattern_key: 'write:workspace', pattern_keys: ['write:workspace'], max_scope: 'always',
        requested_at: 1795886288, timeout_seconds: 0, expires_at: 0, content: 'Hello', content_truncated: false, file: 'notes.md',
        diff: '--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+Hello\n\\ No newline at end of file\n', diff_truncated: false
      },
      pending_count: 1
    }
  },
  'GET /api/approval/stream': {
    answer: {
      event: 'approval',
      data: {
        pending: {
          approval_id: '3f38b210ebab44ea', session_id: '02e3fd3d5b3a',
          command: 'write_file: notes.md (5 bytes)\n\n--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+Hello\n\\ No newline at end of file\n',
          description: 'Write notes.md', pattern_key: 'write:workspace', pattern_keys: ['write:workspace'], max_scope: 'always',
          requested_at: 1795886288, timeout_seconds: 0, expires_at: 0, content: 'Hello', content_truncated: false, file: 'notes.md',
          diff: '--- /dev/null\n+++ b/notes.md\n@@ -0,0 +1,1 @@\n+Hello\n\\ No newline at end of file\n', diff_truncated: false
        },
        pending_count: 1
      }
    }
  },
  'POST /api/approval/respond': {
    body: { session_id: '02e3fd3d5b3a', approval_id: '3f38b210ebab44ea', choice: 'once' }, answer: { ok: true, choice: 'once' }
  },
  'GET /api/clarify/pending': {
    answer: {
      pending: {
        clarify_id: 'db639e0d2d27c661', session_id: '84fdef343064', question: 'Which colour?', choices_offered: ['red', 'blue'],
        kind: 'choice', requested_at: 1795886291, timeout_seconds: 120, expires_at: null
      },
      pending_count: 1
    }
  },
  'GET /api/clarify/stream': {
    answer: {
      event: 'clarify',
      data: {
        pending: {
          clarify_id: 'db639e0d2d27c661', session_id: '84fdef343064', question: 'Which colour?', choices_offered: ['red', 'blue'],
          kind: 'choice', requested_at: 1795886291, timeout_seconds: 120, expires_at: null
        },
        pending_count: 1
      }
    }
  },
  'POST /api/clarify/respond': {
    body: { session_id: '84fdef343064', clarify_id: 'db639e0d2d27c661', response: 'blue' }, answer: { ok: true, response: 'blue' }
  },
  'POST /api/upload': {
    body: { session_id: '02e3fd3d5b3a', file: 'the bytes of plan.png', client_id: '7b1f22c4' },
    answer: {
      filename: 'plan.png', path: '/home/ann/.svc/webui/attachments/02e3fd3d5b3a/plan.png', size: 48213, mime: 'image/png', is_image: true
    }
  },
  'GET /api/list': {
    answer: {
      entries: [
        {
          name: 'notes.md', path: 'notes.md', type: 'file', is_dir: false, size: 5, mtime_ns: 1795886290000000000, modified: 1795886290,
          workspace_sort_rank: 2
        }
      ],
      signature: '6Q1OAwUclyY4gjxYAwHpqR', path: '.', workspace: '/home/ann/site', workspace_recovered: false
    }
  },
  'GET /api/file': {
    answer: {
      path: 'notes.md', content: 'Hello', size: 5, lines: 1, mtime_ns: 1795886290000000000, version: 'GF-NsyJx_iX1Yab8k4suJk',
      mime: 'text/markdown', is_binary: false, is_lossy: false, preview: null
    }
  },
  'POST /api/file/save': {
    body: { session_id: '02e3fd3d5b3a', path: 'notes.md', content: 'Hello, world', if_match: 'GF-NsyJx_iX1Yab8k4suJk' },
    answer: { ok: true, path: 'notes.md', size: 12, version: 'EokBIjqsjfO4nNddfsZE-Z', mtime_ns: 1795886290000000000 }
  },
  'GET /api/models': {
    answer: {
      active_provider: 'openai', default_model: 'gpt-5.2',
      configured_model_badges: { 'gpt-5.2': { role: 'primary', label: 'Primary', provider: 'openai', tasks: [] } },
      groups: [
        {
          provider: 'OpenAI', name: 'OpenAI', provider_id: 'openai',
          models: [
            {
              id: 'gpt-5.2', label: 'GPT-5.2', name: 'GPT-5.2', context_length: 400000, price: { input: 1.75, output: 14 }, vision: true,
              reasoning: true
            }
          ],
          extra_models: []
        }
      ],
      aliases: {}
    }
  },
  'POST /api/crons/create': {
    body: { name: 'Morning', prompt: 'Summarise the news', schedule: 'every weekday at 7:00', deliver: 'push' },
    answer: {
      ok: true,
      job: {
        id: '409b35ad098c', job_id: '409b35ad098c', name: 'Morning', prompt: 'Summarise the news', skills: [], skill: null, model: null,
        provider: null, provider_snapshot: null, model_snapshot: null, base_url: null, script: null, no_agent: false, context_from: null,
        enabled_toolsets: null, profile: 'default', workspace: null, workdir: null,
        schedule: {
          kind: 'cron', expression: '0 7 * * 1-5', expr: '0 7 * * 1-5', display: 'every weekday at 7:00', timezone: 'UTC',
          words: 'At 07:00, Monday through Friday'
        },
        schedule_display: 'every weekday at 7:00', repeat: { times: null, completed: 0 }, enabled: true, state: 'scheduled',
        paused_at: null, paused_reason: null, created_at: '2026-11-28T17:18:14+00:00', next_run_at: '2026-11-30T07:00:00+00:00',
        last_run_at: null, last_skipped_at: null, last_status: null, last_error: null, last_delivery_error: null, failure_streak: 0,
        deliver: 'push', origin: null, ask: 'deny', toast_notifications: true, latest_execution: null
      }
    }
  },
  'POST /api/crons/preview': {
    body: { schedule: 'every weekday at 7:00', count: 2 },
    answer: {
      ok: true,
      schedule: {
        kind: 'cron', expression: '0 7 * * 1-5', expr: '0 7 * * 1-5', display: 'every weekday at 7:00', timezone: 'UTC',
        words: 'At 07:00, Monday through Friday'
      },
      schedule_display: 'every weekday at 7:00', next_runs: ['2026-11-30T07:00:00+00:00', '2026-12-01T07:00:00+00:00'],
      days: ['2026-11-30', '2026-12-01', '2026-12-02']
    }
  }
}
