import { Type, type TProperties } from '@sinclair/typebox'
import { Goal } from './goals-state.js'
import { Nullable } from './shapes.js'

/**
 * An error: its statuses, an example of its text, when it occurs, as a clause with a subject ("the folder is …"), and the additional fields
 * of its body.
 */
export interface ErrorEntry { statuses: readonly number[], text: string, when: string, details?: TProperties }

const activeStream = {
  active_stream_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'stream_id of the running turn' }))
}
const version = { version: Type.Optional(Type.String({ description: 'the present version' })) }
const count = (description: string) => Type.Optional(Type.Integer({ description }))
const notOk = { ok: Type.Optional(Type.Literal(false)) }
const goal = {
  ...notOk,
  action: Type.Optional(Type.Literal('error')),
  message: Type.Optional(Type.String({ description: 'what went wrong, for a person' })),
  message_key: Type.Optional(Type.String()),
  goal: Type.Optional(Nullable(Goal, 'the goal of the session; null: it has none'))
}

/** All codes of errors. Clients act on codes, so they are never renamed, and never change their meaning. */
export const errorCodes = {
  active_stream: {
    statuses: [409], text: 'A turn is running in this session. Wait until it ends, or cancel it',
    when: 'a turn is running in the folder (git operations, restoring a checkpoint, removing a worktree)', details: activeStream
  },
  agent_running: {
    statuses: [409], text: 'agent_running', when: 'a turn is running, so a goal cannot be set', details: { ...goal, ...activeStream }
  },
  attached_session: {
    statuses: [409], text: 'Messages cannot be removed here, because another program continues this conversation as well. Branch it instead',
    when: 'another program continues this conversation too, so messages cannot be removed'
  },
  attempt_conflict: {
    statuses: [409], text: 'The folder has since changed in the same places, so these changes cannot be applied. Nothing was changed',
    when: 'the folder has since changed in the same lines as the attempt',
    details: { files: Type.Optional(Type.Array(Type.String(), { description: 'the files that have changed in the same lines' })) }
  },
  attempts_changed: {
    statuses: [409], text: 'This attempt has changed since you looked. Look at it again',
    when: 'the attempt has changed since it was read, or its worktree was removed'
  },
  auth_failed: {
    statuses: [400], text: 'origin needs a sign-in that git does not have here. …',
    when: 'the git remote refused the sign-in or has an unknown host key, or the forge refused the token'
  },
  budget_used_up: {
    statuses: [409], text: 'The budget of this day is used up: 1,090 of 1,000 tokens. …',
    when: 'a hard budget is used up, and the request needs a model (titles, summaries, commit messages, pull request texts, tidying a ' +
      'memory document, provider tests)'
  },
  busy: {
    statuses: [503], text: 'The service is busy with other files; try again in a moment', when: 'too much of one kind of work is waiting'
  },
  changed: {
    statuses: [409], text: 'Someone else changed the file', when: 'the file or document has changed since it was read',
    details: version
  },
  check_changed: {
    statuses: [409], text: 'The file that defines this check has changed. Look at it and save it again',
    when: 'the file that defines the check has changed since a person reviewed it'
  },
  checks_full: { statuses: [409], text: 'A folder has at most 20 checks', when: 'the folder already has 20 checks' },
  client_id_reused: {
    statuses: [409], text: 'This client_id belongs to another request. Send the same request, or use a new client_id',
    when: 'the `client_id` was already used for a different request'
  },
  config_broken: {
    statuses: [409], text: 'config.yaml does not parse; nothing was written to it. Correct it and try again.',
    when: 'config.yaml does not parse, or has a value of another type in the place that would be written'
  },
  conflict: {
    statuses: [400, 409], text: 'There are conflicts. Resolve them first',
    when: 'git or a worktree found conflicts, or another file is in the way'
  },
  denied_by_rule: {
    statuses: [409], text: 'The rules of this profile do not allow this any more (…). Deny it, or change approvals.deny first',
    when: 'what the card asks for was denied in `approvals.deny` since it was shown'
  },
  destructive_git_disabled: {
    statuses: [403], text: 'Git is read-only in this service',
    when: 'git is read-only, by configuration or because the session is read-only'
  },
  dirty_worktree: {
    statuses: [409],
    text: 'There are uncommitted changes. Commit, stash or discard them first',
    when: 'uncommitted changes would be lost',
    details: { dirty_files: count('files with changes'), untracked_files: count('untracked files') }
  },
  disk_full: { statuses: [503], text: 'The disk is full. Nothing was written', when: 'the disk is full, so nothing was written' },
  disk_failing: {
    statuses: [503], text: 'The disk reports an error. This could not be read or written',
    when: 'the disk reported an error during a read or write (see `Retry-After`)'
  },
  duplicate: { statuses: [400], text: 'This workspace is already in the list', when: 'the folder is already in the list' },
  empty_document: {
    statuses: [409], text: 'MEMORY.md is empty: there is nothing to tidy', when: 'the memory document is empty, so it cannot be tidied'
  },
  exists: {
    statuses: [400, 409], text: 'a.txt already exists',
    when: 'a file, folder or skill of this name exists, or the branch already has an open pull request'
  },
  hook_refused: {
    statuses: [403], text: 'There is no such hook, or the call is not signed with its secret',
    when: 'the hook does not exist, or the call is not signed with its secret'
  },
  filtered_path: {
    statuses: [400], text: 'The contents of a.bin pass through the filter "lfs", which this service does not run',
    when: 'the file passes through a filter of the repository, such as LFS, which is not run here'
  },
  forge_limited: {
    statuses: [503], text: 'GitHub accepts no more requests for now. Try again in 12 minutes',
    when: 'the forge has received too many requests with this token (see `Retry-After`)'
  },
  forge_refused: {
    statuses: [409], text: 'GitHub refused: …', when: 'the forge refused the request, for the reason that the message quotes'
  },
  forge_unreadable: {
    statuses: [502], text: 'The answer of GitHub cannot be read', when: 'the answer of the forge does not follow its interface'
  },
  gateway_approval_relay_failed: {
    statuses: [502], text: 'The agent did not acknowledge in time', when: 'the answer did not reach the run, and the card stays open',
    details: notOk
  },
  gateway_run_unavailable: {
    statuses: [409], text: 'The run can no longer be reached',
    when: 'the process of the run that asked has ended, and the card stays until the service has settled the run', details: notOk
  },
  git_failed: { statuses: [400, 403, 503], text: 'git refused: …', when: 'git failed for a reason that has no code of its own' },
  host_present: {
    statuses: [409], text: 'This machine is connected. Stop its program first',
    when: 'the machine is connected, so it cannot be removed from the list'
  },
  host_unreachable: {
    statuses: [503], text: 'The machine big is not reachable',
    when: 'the folder is on another machine, which is not connected'
  },
  identity_missing: {
    statuses: [400], text: 'git does not know the author of commits. Set user.name and user.email',
    when: 'git does not know the author of commits'
  },
  invalid_goal: { statuses: [400], text: 'invalid_goal', when: 'the goal is too long', details: goal },
  invalid_ref: {
    statuses: [400], text: 'No branch, tag or commit has this name',
    when: 'no branch, tag or commit has this name, or the name is not valid'
  },
  is_folder: {
    statuses: [400], text: 'This is a folder. Send recursive to delete it with its contents',
    when: 'the path is a folder, and `recursive` is not set'
  },
  key_in_environment: {
    statuses: [409],
    text: 'The key of OpenAI is set by OPENAI_API_KEY of the service\'s environment: change it there and restart the service',
    when: 'the key is set in the environment of the service, not in a file of the profile'
  },
  locked_worktree: {
    statuses: [409], text: 'The worktree is locked. Run `git worktree unlock` first', when: 'the worktree is locked'
  },
  masked: {
    statuses: [409], text: 'MEMORY.md contains masked values in lines that you changed or moved',
    when: 'lines with masked values were changed or moved, so the values cannot be restored'
  },
  missing_git: {
    statuses: [503], text: 'git is not installed where this service runs',
    when: 'git is not installed, and the built-in engine cannot do this'
  },
  model_failed: {
    statuses: [502], text: 'The model did not return the whole document; nothing was changed',
    when: 'the model returned no usable version of the document, or none in time'
  },
  mounted: {
    statuses: [409], text: 'A disk is mounted in this folder. Unmount it first',
    when: 'a disk is mounted in the folder that would be deleted or moved'
  },
  network_failed: { statuses: [400], text: 'origin cannot be reached', when: 'the git remote or the forge cannot be reached' },
  no_commits: {
    statuses: [400], text: 'The repository has no commit yet. Make one before you create a worktree',
    when: 'the repository has no commit yet, so it cannot have a worktree'
  },
  no_forge: {
    statuses: [400], text: 'The repository has no remote on a known forge',
    when: 'the repository has no remote on a known forge'
  },
  no_forge_token: {
    statuses: [400], text: 'The service has no token for git.example.org. Set one first', when: 'the profile has no token for the forge'
  },
  no_steps: {
    statuses: [400], text: 'The plan has no steps. Write them as a task list: - [ ] …', when: 'the plan has no steps'
  },
  no_goal: { statuses: [400], text: 'no_goal', when: 'the session has no goal that could be paused or resumed', details: goal },
  no_handles: {
    statuses: [503], text: 'The service has run out of file handles. Try again in a moment',
    when: 'the process or the machine has reached its limit of open files (see `Retry-After`), which `/health` reports meanwhile'
  },
  no_model: {
    statuses: [409], text: 'The demo cannot do this. Set up a model',
    when: 'no model is set up that can do this'
  },
  no_safety_checkpoint: {
    statuses: [409], text: 'The current state cannot be saved first, so a restore could not be undone',
    when: 'the current state cannot be saved first, and `force` is not set'
  },
  no_upstream: {
    statuses: [400], text: 'The branch main has no upstream branch',
    when: 'the branch has no upstream branch, or was not pushed before its pull request'
  },
  not_a_repo: { statuses: [400], text: 'The folder is not in a git work tree', when: 'the folder is not in a git work tree' },
  not_attachable: {
    statuses: [409], text: 'Codex is not installed as an agent of this service: see Models',
    when: 'the session of the other program cannot be continued in place'
  },
  not_an_archive: {
    statuses: [400], text: 'This file cannot be unpacked. Use zip, tar or tar.gz',
    when: 'the file is not an archive that can be unpacked (zip, tar, tar.gz)'
  },
  not_fast_forward: {
    statuses: [409], text: 'This branch and origin/main have diverged. Nothing was changed',
    when: 'the branch and its remote have diverged, so a pull would have to merge'
  },
  not_removed: {
    statuses: [409], text: 'Not everything in this folder could be removed',
    when: 'some contents of the folder could not be deleted'
  },
  not_supported: {
    statuses: [409], text: 'These settings cannot be changed here: theme', when: 'the settings cannot be changed here, or the configuration forbids the request',
    details: { keys: Type.Optional(Type.Array(Type.String(), { description: 'names of these settings' })) }
  },
  not_text: {
    statuses: [400, 409], text: 'The file is not UTF-8 text; saving text would destroy it',
    when: 'the file or document is not UTF-8 text, so saving text would destroy it', details: version
  },
  nothing_to_commit: { statuses: [400], text: 'Nothing is staged', when: 'nothing is staged, or the selected files have no changes' },
  of_plugin: {
    statuses: [409], text: 'This server belongs to the plugin lint. Turn the plugin off instead',
    when: 'the MCP server belongs to a plugin, so it cannot be changed or removed here'
  },
  office: {
    statuses: [400], text: 'Office files cannot be saved as text',
    when: 'the file is an office document, which cannot be saved as text'
  },
  operation_in_progress: {
    statuses: [409], text: 'Another git operation is running in this repository',
    when: 'another git operation holds a lock, or a merge or rebase is under way'
  },
  other_disk: {
    statuses: [400], text: 'The trash is on another disk. Delete this permanently instead',
    when: 'the trash, or the folder to move to, is on another disk'
  },
  outside_workspace: { statuses: [400], text: 'A path is not in the workspace', when: 'a path to restore is outside the workspace' },
  password_pinned: {
    statuses: [409], text: 'The password is set by SVC_WEBUI_PASSWORD; change it there and restart the service',
    when: 'the password is set by the environment of the service'
  },
  path_outside_workspace: { statuses: [400], text: 'The path is not in the workspace', when: 'the path is outside the workspace' },
  plugin_changed: {
    statuses: [409], text: 'The files of this plugin have changed since you saw them. Look at them again',
    when: 'the files of the plugin have changed since `seal` was read'
  },
  profile_busy: {
    statuses: [409], text: 'A turn is running in this profile. Wait until it ends, or cancel it',
    when: 'a turn is running in the profile that would be left or deleted'
  },
  preview_failed: {
    statuses: [404], text: 'This document cannot be read', when: 'the office document is damaged or protected'
  },
  preview_unavailable: {
    statuses: [503], text: 'Previews of this kind need a package that is not installed with this service',
    when: 'previews of this kind need a package that is not installed'
  },
  pull_changed: {
    statuses: [409], text: 'This pull request has new commits that you have not seen. Look at them first',
    when: 'the latest commit of the pull request is no longer `sha`'
  },
  pull_closed: { statuses: [409], text: 'This pull request is already merged', when: 'the pull request is already merged or closed' },
  queue_changed: {
    statuses: [409], text: 'This message was changed or has left the queue. Read the queue again',
    when: 'the queued message was changed, or has left the queue, since it was read'
  },
  queue_full: {
    statuses: [409], text: 'A queue holds at most 100 messages and 4 MiB. Wait until some have started, or remove some',
    when: 'the queue would exceed 100 messages or 4 MiB'
  },
  read_only: {
    statuses: [403], text: 'This file is read-only', when: 'the file is read-only, or the skill does not belong to the profile'
  },
  plan_changed: {
    statuses: [409], text: 'The plan was changed in the meantime. Read it again',
    when: 'the plan has changed since it was read',
    details: { plan_version: count('the present version; 0: no plan exists') }
  },
  plan_started: {
    statuses: [409], text: 'This version of the plan was already started', when: 'this version of the plan was already started'
  },
  rejected: {
    statuses: [409], text: 'origin has commits that this branch does not have. Pull them first, then push again',
    when: 'the remote has commits that the branch does not have'
  },
  restarting: {
    statuses: [503], text: 'The service is about to restart with a new version. Nothing was started; try again in a few seconds',
    when: 'the service is about to restart with a new version and starts no more turns (see `Retry-After`)'
  },
  review_changed: {
    statuses: [409], text: 'This comment was changed or removed. Read the review again',
    when: 'the comment was changed or removed since it was read'
  },
  review_full: {
    statuses: [409], text: 'A review holds at most 200 comments. Remove some that are resolved', when: 'the review already has 200 comments'
  },
  running: { statuses: [409], text: 'This program is running', when: 'the file is a program that is running' },
  schedule_cron: { statuses: [400], text: '"61 * * * *" is not a cron expression: …', when: 'the cron expression is not valid' },
  schedule_never: { statuses: [400], text: '"0 0 31 2 *" matches no date', when: 'no date matches the schedule' },
  schedule_past: {
    statuses: [400], text: '"2020-01-31T09:00" has passed. Choose a time in the future', when: 'the time of the schedule has passed'
  },
  schedule_unclear: { statuses: [400], text: '"every blue moon" is not a schedule. …', when: 'the schedule is not in a known form' },
  scope_too_narrow: {
    statuses: [403],
    text: 'This token may read; this needs a token that may chat',
    when: 'the scope of the token does not permit this (`needed_scope` is `person` where no token may do it)',
    details: {
      scope: Type.Optional(Type.String({ description: 'the scope of the token' })),
      needed_scope: Type.Optional(Type.String({ description: 'the scope that the route needs' }))
    }
  },
  session_profile_mismatch: {
    statuses: [409],
    text: 'This session belongs to the profile work. Switch to it first',
    when: 'the session or stream belongs to another profile than the active one of the client',
    details: { session_id: Type.Optional(Type.String()), profile: Type.Optional(Type.String({ description: 'the profile of the session' })) }
  },
  skipped: { statuses: [404], text: 'This checkpoint is empty', when: 'the checkpoint is empty, because its folder could not be saved' },
  symlink: {
    statuses: [400], text: 'This is a symbolic link. Save the file it points to',
    when: 'the path is a symbolic link, and nothing is saved through links'
  },
  terminal_busy: {
    statuses: [409], text: 'Codex is running a turn in this conversation. Wait until it has answered, then send your message again',
    when: 'the other program of the conversation is running a turn'
  },
  terminal_lost: {
    statuses: [409],
    text: 'Codex has replaced the file of this conversation. Delete this chat here, then continue the conversation from the list',
    when: 'the other program has truncated or replaced the file of the conversation'
  },
  terminal_wrote: {
    statuses: [409],
    text: 'Codex has written to this conversation in the meantime. The new messages are loaded: read them, then send yours again',
    when: 'the other program wrote to the conversation before the message arrived'
  },
  timeout: { statuses: [400, 503], text: 'git took longer than 30 s', when: 'git, or reading a file in the background, took too long' },
  too_large: {
    statuses: [404, 413, 503], text: 'File too large (30000000 bytes, max 20971520)',
    when: 'the file is too large to be shown, the document is longer than what the agent reads of it, or the work needs ' +
      'more memory than it may use'
  },
  trash_blocked: {
    statuses: [409], text: '.agent-trash is not the trash of the service. …',
    when: '`.agent-trash` is not the trash of the service'
  },
  unmerged_commits: {
    statuses: [409], text: 'The worktree has commits that are on no other branch',
    when: 'the worktree has commits that no other branch has',
    details: { ahead: count('how many commits') }
  },
  unsafe_archive: {
    statuses: [400], text: 'This archive was not unpacked: …', when: 'the archive would write outside its folder, or grow too large'
  },
  upgrading: {
    statuses: [503], text: 'The service is upgrading its database (40 % done). Try again in a few seconds',
    when: 'a new version is upgrading the database, and only `/livez`, `/readyz` and `/health` work meanwhile'
  },
  workspace_missing: {
    statuses: [404], text: 'The workspace no longer exists', when: 'the folder of the session no longer exists'
  },
  worktree_leaving: {
    statuses: [409], text: 'The worktree of this session is being removed. Try again in a moment',
    when: 'the worktree of the session is being removed at this moment'
  }
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCodes

/** Errors without a code: the status, or the additional fields, say what went wrong. */
export const plainErrors: readonly ErrorEntry[] = [
  {
    statuses: [400], text: 'Missing required field(s): session_id',
    when: 'a field is missing or invalid (the message names all of them), the body is not valid JSON, or the workspace cannot be used'
  },
  { statuses: [401], text: 'Authentication required', when: 'the credentials are missing or wrong' },
  {
    statuses: [403], text: 'This session is read-only',
    when: 'the request comes from another site, has no CSRF token or a foreign host name, or would change a read-only session or ' +
      'something that belongs to the service'
  },
  {
    statuses: [404], text: 'Session not found', when: 'the session, stream (`stream not found`) or path does not exist, or the ' +
      'path lies outside the folder'
  },
  {
    statuses: [405], text: 'There is no DELETE /api/sessions',
    when: 'the path has other methods, which the header `Allow` names; streams and exports have no HEAD'
  },
  { statuses: [408], text: 'The request did not come in time', when: 'the request did not arrive in time' },
  {
    statuses: [409], text: 'session already has an active stream',
    when: 'a turn is running (see `active_stream_id`), or the present state does not allow the request, as the message says',
    details: activeStream
  },
  {
    statuses: [409], text: 'This question is no longer open', when: 'the question was answered already, or is no longer open',
    details: { ...notOk, stale: Type.Optional(Type.Literal(true)) }
  },
  { statuses: [413], text: 'The request body is too large', when: 'the body, file or upload is too large' },
  {
    statuses: [413],
    text: 'too many files',
    when: 'the folder has too many files or bytes to be downloaded',
    details: {
      limit: count('how many files are allowed'), limit_bytes: count('how many bytes are allowed'),
      configure: Type.Optional(Type.String({ description: 'what to do instead' }))
    }
  },
  { statuses: [414], text: 'The address of the request is too long', when: 'a part of the path is longer than 100 characters' },
  {
    statuses: [415], text: 'Send the body as JSON, with the header Content-Type: application/json',
    when: 'the body is not of the expected media type, or is compressed'
  },
  { statuses: [416], text: 'The file has no such bytes', when: 'the requested range begins after the end of the file' },
  {
    statuses: [429], text: 'Too many attempts. Try again in a minute.',
    when: 'too many sign-ins, shared pages or model tasks within a minute, or texts read aloud within two seconds (see `Retry-After`), ' +
      'or too many side questions, background tasks or watched folders at once'
  },
  { statuses: [431], text: 'The headers of the request are too large', when: 'the headers are larger than 16 KiB' },
  {
    statuses: [500], text: 'Something went wrong in the service; its log has the details',
    when: 'the service failed, and its log has the details under the id of the request'
  },
  {
    statuses: [502], text: 'The agent did not accept the answer',
    when: 'the agent process did not confirm in time, or the speech service failed'
  },
  {
    statuses: [503], text: 'The service cannot store anything: its disk is full',
    when: 'the session is busy, the disk is full or the database is locked (see `Retry-After`), a program is ' +
      'missing, or speech is not set up'
  }
]
