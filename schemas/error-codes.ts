import { Type, type TProperties } from '@sinclair/typebox'
import { Goal } from './goals-state.js'
import { Nullable } from './shapes.js'

/** An error: its statuses, an example of its text, when it occurs, and the additional fields of its body. */
export interface ErrorEntry { statuses: readonly number[], text: string, when: string, details?: TProperties }

const activeStream = {
  active_stream_id: Type.Optional(Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'the turn that is running' }))
}
const version = { version: Type.Optional(Type.String({ description: 'what is there now' })) }
const count = (description: string) => Type.Optional(Type.Integer({ description }))
const notOk = { ok: Type.Optional(Type.Literal(false)) }
const goal = {
  ...notOk,
  action: Type.Optional(Type.Literal('error')),
  message: Type.Optional(Type.String({ description: 'what went wrong, for a person' })),
  message_key: Type.Optional(Type.String()),
  goal: Type.Optional(Nullable(Goal, 'the goal of the session; null if it has none'))
}

/** All codes of errors. Clients act on codes, so they are never renamed, and never change their meaning. */
export const errorCodes = {
  active_stream: {
    statuses: [409], text: 'A turn is running in this session. Wait until it ends, or cancel it',
    when: 'git operations, restoring a checkpoint and removing a worktree, while a turn is at work in the folder', details: activeStream
  },
  agent_running: {
    statuses: [409], text: 'agent_running', when: 'a goal is set while a turn is running', details: { ...goal, ...activeStream }
  },
  attached_session: {
    statuses: [409], text: 'Messages cannot be removed here, because another program continues this conversation as well. Branch it instead',
    when: 'messages are to be removed from an attached session'
  },
  attempt_conflict: {
    statuses: [409], text: 'The folder has changed since in the same places, so these changes cannot be applied. Nothing was changed',
    when: 'an attempt, or a part of one, is to be taken or taken back',
    details: { files: Type.Optional(Type.Array(Type.String(), { description: 'the files with such places' })) }
  },
  attempts_changed: {
    statuses: [409], text: 'This attempt has changed since you looked. Look at it again',
    when: 'parts of an attempt are to be taken that is another one by now'
  },
  auth_failed: {
    statuses: [400], text: 'origin wants a login that git does not have here',
    when: 'git: a remote refuses the login, or its host key is not known; pull requests: the forge refuses the token'
  },
  budget_used_up: {
    statuses: [409], text: 'The budget of this day is used up: 1,090 of 1,000 tokens. …',
    when: 'a summary, a message for a commit, a pull request, a tidier version of a document of the memory or a test of a provider is asked for, and a hard budget is used up'
  },
  busy: {
    statuses: [503], text: 'The service is busy with other files; try again in a moment', when: 'too much of one kind of work is waiting'
  },
  changed: {
    statuses: [409], text: 'Someone else changed the file', when: 'a file is saved that is not the one that was read',
    details: version
  },
  check_changed: {
    statuses: [409], text: 'The file has this check run something else now. Look at it and save it again',
    when: 'a check that a file of the folder describes is saved or run, and the file says something else than a person has seen'
  },
  checks_full: { statuses: [409], text: 'A folder has at most 20 checks', when: 'a check is saved' },
  client_id_reused: {
    statuses: [409], text: 'This client_id belongs to another request. Send the same request, or use a new client_id',
    when: 'a `client_id` comes a second time, with something else'
  },
  config_broken: {
    statuses: [409], text: 'config.yaml does not parse; nothing was written to it. Correct it and try again.',
    when: 'something is to be written to a config.yaml that is broken, or holds something else in the place'
  },
  conflict: {
    statuses: [400, 409], text: 'There are conflicts. Resolve them first',
    when: 'git and worktrees: conflicts, or something else stands in the way'
  },
  destructive_git_disabled: {
    statuses: [403], text: 'Git is read-only in this service', when: 'git: by configuration, or for a read-only session'
  },
  dirty_worktree: {
    statuses: [409],
    text: 'There are uncommitted changes. Commit, stash or discard them first',
    when: 'git and worktrees: work would be lost',
    details: { dirty_files: count('files with changes'), untracked_files: count('files that git does not know') }
  },
  disk_full: { statuses: [503], text: 'The disk is full. Nothing was written', when: 'a file is written' },
  disk_failing: {
    statuses: [503], text: 'The disk reports an error. This could not be read or written',
    when: 'a file is read or written and the disk reports an error of its own (see `Retry-After`)'
  },
  duplicate: { statuses: [400], text: 'This workspace is already in the list', when: 'a folder is added to the list' },
  empty_document: {
    statuses: [409], text: 'MEMORY.md is empty: there is nothing to tidy', when: 'a tidier version of a document of the memory is asked for'
  },
  exists: {
    statuses: [400, 409], text: 'a.txt already exists',
    when: 'a file, folder or skill would take the place of another one, or a branch has an open pull request'
  },
  hook_refused: {
    statuses: [403], text: 'There is no such hook, or the call is not signed with its secret',
    when: 'a hook is called that is not there, or by someone who does not know its secret'
  },
  filtered_path: {
    statuses: [400], text: 'The contents of a.bin pass through the filter "lfs", which this service does not run',
    when: 'git: staging or discarding what a filter of the repository would change'
  },
  forge_limited: {
    statuses: [503], text: 'GitHub takes no more requests for now. Try again in 12 minutes',
    when: 'pull requests: the forge is asked too often with this token (see `Retry-After`)'
  },
  forge_refused: {
    statuses: [409], text: 'GitHub refused: …', when: 'pull requests: the forge does not do what it is asked for, and says why'
  },
  forge_unreadable: {
    statuses: [502], text: 'The answer of GitHub cannot be read', when: 'pull requests: the forge answers with something else than its interface says'
  },
  gateway_approval_relay_failed: {
    statuses: [502], text: 'The agent did not acknowledge in time', when: 'an answer did not reach its run; the card stays open',
    details: notOk
  },
  gateway_run_unavailable: {
    statuses: [409], text: 'The run is not reachable any more',
    when: 'the run that asked has no living process; the card stays until that is settled', details: notOk
  },
  git_failed: { statuses: [400, 403, 503], text: 'git refused: …', when: 'git: everything that has no code of its own' },
  host_present: {
    statuses: [409], text: 'This machine is connected. Stop its program first', when: 'a machine is to be taken from the list that is not away'
  },
  host_unreachable: {
    statuses: [503], text: 'The machine big is not reachable',
    when: 'a folder, a command or a worktree of another machine is asked for, and that machine is away'
  },
  identity_missing: { statuses: [400], text: 'git does not know the author of commits. Set user.name and user.email', when: 'git: a commit' },
  invalid_goal: { statuses: [400], text: 'invalid_goal', when: 'a goal is too long', details: goal },
  invalid_ref: {
    statuses: [400], text: 'No branch, tag or commit has this name', when: 'git and worktrees: a name that is not valid or not there'
  },
  is_folder: { statuses: [400], text: 'This is a folder. Send recursive to delete it with its contents', when: 'a folder is deleted' },
  key_in_environment: {
    statuses: [409],
    text: 'The key of OpenAI is set by OPENAI_API_KEY of the service\'s environment: change it there and restart the service',
    when: 'a key is to be taken away that no file of the profile holds'
  },
  locked_worktree: {
    statuses: [409], text: 'The worktree is locked. Run `git worktree unlock` first', when: 'a worktree is removed'
  },
  masked: {
    statuses: [409], text: 'MEMORY.md contains masked values in lines that you changed or moved',
    when: 'a document of the memory is saved and what was masked in it cannot be put back'
  },
  missing_git: { statuses: [503], text: 'git is not installed where this service runs', when: 'git: what the built-in engine cannot do' },
  model_failed: {
    statuses: [502], text: 'The model did not return the whole document; nothing was changed',
    when: 'a tidier version of a document of the memory is asked for, and what the model says cannot take its place, or it says nothing in time'
  },
  mounted: { statuses: [409], text: 'A disk is mounted in this folder. Unmount it first', when: 'a folder is deleted or moved' },
  network_failed: { statuses: [400], text: 'origin cannot be reached', when: 'git: fetch, pull and push; pull requests' },
  no_commits: {
    statuses: [400], text: 'The repository has no commit yet. Make one before you create a worktree', when: 'a session with a worktree is opened'
  },
  no_forge: {
    statuses: [400], text: 'The repository has no remote on a forge that is known here', when: 'pull requests of a session are asked for'
  },
  no_forge_token: {
    statuses: [400], text: 'The service has no token for git.example.org. Set one first', when: 'pull requests of a session are asked for'
  },
  no_steps: {
    statuses: [400], text: 'The plan has no steps. Write them as a task list: - [ ] …', when: 'a plan is started'
  },
  no_goal: { statuses: [400], text: 'no_goal', when: 'a goal is paused or resumed where none is under way', details: goal },
  no_handles: {
    statuses: [503], text: 'The service has run out of file handles. Try again in a moment',
    when: 'a file, a program or a connection is to be opened and the process or the machine has as many as it may (see `Retry-After`); `/health` says so meanwhile'
  },
  no_model: {
    statuses: [409], text: 'The demo cannot do this. Set up a model',
    when: 'a tidier version of a document of the memory is asked for, and there is no model for it'
  },
  no_safety_checkpoint: {
    statuses: [409], text: 'The current state cannot be saved first, so a restore could not be undone', when: 'a checkpoint is restored without force'
  },
  no_upstream: { statuses: [400], text: 'The branch main has no upstream branch', when: 'git: pull and push; a pull request of a branch that is not pushed' },
  not_a_repo: { statuses: [400], text: 'The folder is not in a git work tree', when: 'git and worktrees' },
  not_attachable: {
    statuses: [409], text: 'Codex is not installed as an agent of this service: see Models',
    when: 'a session of another program is to be attached, and cannot be'
  },
  not_an_archive: {
    statuses: [400], text: 'This file cannot be unpacked. Use zip, tar or tar.gz', when: 'an archive is unpacked'
  },
  not_fast_forward: {
    statuses: [409], text: 'This branch and origin/main have diverged. Nothing was changed', when: 'git: a pull would have to merge'
  },
  not_removed: { statuses: [409], text: 'Not everything in this folder could be removed', when: 'a folder is deleted for good' },
  not_supported: {
    statuses: [409], text: 'These settings cannot be changed here yet: theme', when: 'settings that nothing acts on',
    details: { keys: Type.Optional(Type.Array(Type.String(), { description: 'the settings' })) }
  },
  not_text: {
    statuses: [400, 409], text: 'The file is not UTF-8 text; saving text would destroy it',
    when: 'a file, or a document of the memory, is saved, or such a document is to be tidied', details: version
  },
  nothing_to_commit: { statuses: [400], text: 'Nothing is staged', when: 'git: a commit, or a message for one' },
  of_plugin: {
    statuses: [409], text: 'This server belongs to the plugin lint. Turn the plugin off instead',
    when: 'an MCP server that a plugin brings is to be changed or taken away'
  },
  office: { statuses: [400], text: 'Office files cannot be saved as text', when: 'a file is saved' },
  operation_in_progress: {
    statuses: [409], text: 'Another git operation is running in this repository',
    when: 'git: a lock is held, or a merge or rebase is under way'
  },
  other_disk: {
    statuses: [400], text: 'The trash is on another disk. Delete this permanently instead', when: 'a file is deleted or moved'
  },
  outside_workspace: { statuses: [400], text: 'A path is not in the workspace', when: 'a checkpoint is restored' },
  password_pinned: {
    statuses: [409], text: 'The password is set by SVC_WEBUI_PASSWORD; change it there and restart the service',
    when: 'the password is changed'
  },
  path_outside_workspace: { statuses: [400], text: 'The path is not in the workspace', when: 'git and worktrees' },
  plugin_changed: {
    statuses: [409], text: 'The files of this plugin have changed since you saw them. Look at them again',
    when: 'a plugin is switched on with the seal of other files than it has'
  },
  profile_busy: {
    statuses: [409], text: 'A turn is running in this profile. Wait until it ends, or cancel it',
    when: 'a client leaves a profile in which a turn is running, or a profile is deleted'
  },
  preview_failed: {
    statuses: [404], text: 'This document cannot be read', when: 'an office document is read that is damaged or protected'
  },
  preview_unavailable: {
    statuses: [503], text: 'Previews of this kind need a package that is not installed with this service',
    when: 'an office document is read'
  },
  pull_changed: {
    statuses: [409], text: 'This pull request has other commits now than those that you saw. Look at them first', when: 'a pull request is merged'
  },
  pull_closed: { statuses: [409], text: 'This pull request is merged already', when: 'a pull request is merged or closed' },
  queue_changed: {
    statuses: [409], text: 'This message was changed or has left the queue. Read the queue again',
    when: 'a message of a queue is changed that is not the one that was read'
  },
  queue_full: {
    statuses: [409], text: 'A queue holds at most 100 messages and 4 MiB. Wait until some have begun, or remove some',
    when: 'a message joins a queue, or is made longer in it'
  },
  read_only: {
    statuses: [403], text: 'This file is read-only', when: 'a file is saved, moved or deleted, or a skill that is not the profile\'s own'
  },
  plan_changed: {
    statuses: [409], text: 'The plan was changed in the meantime. Read it again',
    when: 'a plan is edited or started that is not the version that was read',
    details: { plan_version: count('the version that is there now; 0: there is no plan') }
  },
  plan_started: {
    statuses: [409], text: 'This version of the plan was started already', when: 'a plan is started for the second time, or on two devices at once'
  },
  rejected: {
    statuses: [409], text: 'origin has commits that this branch does not have. Pull them first, then push again', when: 'git: push'
  },
  restarting: {
    statuses: [503], text: 'The service is about to restart with a new version. Nothing was started; try again in a few seconds',
    when: 'a turn is begun in the seconds before the restart of an update (see `Retry-After`); what the service begins by itself waits'
  },
  review_changed: {
    statuses: [409], text: 'This comment was changed or removed. Read the review again',
    when: 'a comment of a review is changed or sent that is not the one that was read'
  },
  review_full: {
    statuses: [409], text: 'A review holds at most 200 comments. Remove some that are settled', when: 'a comment joins a review'
  },
  running: { statuses: [409], text: 'This program is running', when: 'a file is saved' },
  schedule_cron: { statuses: [400], text: '"61 * * * *" is not a cron expression: …', when: 'a schedule is read' },
  schedule_never: { statuses: [400], text: '"0 0 31 2 *" never comes', when: 'a schedule is read' },
  schedule_past: {
    statuses: [400], text: '"2020-01-31T09:00" has passed. Choose a time in the future', when: 'a schedule is read'
  },
  schedule_unclear: { statuses: [400], text: '"every blue moon" is not a schedule. …', when: 'a schedule is read' },
  scope_too_narrow: {
    statuses: [403],
    text: 'This token may read; this asks for one that may chat',
    when: 'a token is used for more than it may do; `needed_scope` is `person` for what no token may',
    details: {
      scope: Type.Optional(Type.String({ description: 'of the token' })),
      needed_scope: Type.Optional(Type.String({ description: 'of the route' }))
    }
  },
  session_profile_mismatch: {
    statuses: [409],
    text: 'This session belongs to the profile work. Switch to it first',
    when: 'a session, or a stream of it, belongs to another profile than the one that the client works in',
    details: { session_id: Type.Optional(Type.String()), profile: Type.Optional(Type.String({ description: 'whose it is' })) }
  },
  skipped: { statuses: [404], text: 'This checkpoint is empty', when: 'a checkpoint is looked at or restored' },
  symlink: { statuses: [400], text: 'This is a symbolic link. Save the file it points to', when: 'a file or skill is saved' },
  terminal_busy: {
    statuses: [409], text: 'Codex is at work in this conversation. Wait until it has answered, and send your message again',
    when: 'a message is sent, or a session attached, while the other program of the conversation is at a turn'
  },
  terminal_lost: {
    statuses: [409],
    text: 'Codex has replaced the file of this conversation. Delete this chat here, and continue the conversation that is listed then',
    when: 'a message is sent in an attached session, and its file is another one'
  },
  terminal_wrote: {
    statuses: [409],
    text: 'Codex has written more in this conversation in the meantime. It was loaded: read it, and send your message again',
    when: 'a message is sent in an attached session, and the other program was faster'
  },
  timeout: { statuses: [400, 503], text: 'git took longer than 30 s', when: 'git, and what reads files in the background' },
  too_large: {
    statuses: [404, 413, 503], text: 'File too large (30000000 bytes, max 20971520)',
    when: 'a file is read that is too large to be shown, or a document tidied that the agent does not read as a whole, or work needs more memory than it is given'
  },
  trash_blocked: { statuses: [409], text: '.agent-trash is not the trash but something else', when: 'a file is deleted' },
  unmerged_commits: {
    statuses: [409], text: 'The worktree has commits that are on no other branch', when: 'a worktree is removed',
    details: { ahead: count('commits') }
  },
  unsafe_archive: {
    statuses: [400], text: 'This archive is not unpacked: …', when: 'an archive is unpacked that would write elsewhere, or grow too large'
  },
  upgrading: {
    statuses: [503], text: 'The service is upgrading its database (40 % done). Try again in a few seconds',
    when: 'anything but `/livez`, `/readyz` and `/health` is asked for while a new version brings the database to its form'
  },
  workspace_missing: {
    statuses: [404], text: 'The workspace no longer exists', when: 'files, git and checkpoints of a session whose folder is gone'
  }
} as const satisfies Record<string, ErrorEntry>

export type ErrorCode = keyof typeof errorCodes

/** Errors without a code: the status, or the additional fields, say what went wrong. */
export const plainErrors: readonly ErrorEntry[] = [
  {
    statuses: [400], text: 'Missing required field(s): session_id',
    when: 'a field is missing or wrong (all are named), the body is not valid JSON, the workspace is unusable'
  },
  { statuses: [401], text: 'Authentication required', when: 'no or wrong credentials' },
  {
    statuses: [403], text: 'This session is read-only',
    when: 'another site\'s request, a missing CSRF token, a foreign host name, a read-only session, what belongs to the service itself'
  },
  {
    statuses: [404], text: 'Session not found', when: 'unknown session, stream (`stream not found`) or path; what lies outside the folder'
  },
  { statuses: [408], text: 'The request did not come in time', when: 'before there is a request' },
  {
    statuses: [409], text: 'session already has an active stream', when: 'a turn is running, and something would come in its way',
    details: activeStream
  },
  {
    statuses: [409], text: 'This question is no longer open', when: 'an answer came too late or twice',
    details: { ...notOk, stale: Type.Optional(Type.Literal(true)) }
  },
  { statuses: [413], text: 'The request body is too large', when: 'body, file or upload' },
  {
    statuses: [413],
    text: 'too many files',
    when: 'a folder is too large to be taken along',
    details: {
      limit: count('files'), limit_bytes: count('bytes'),
      configure: Type.Optional(Type.String({ description: 'what can be done about it' }))
    }
  },
  { statuses: [414], text: 'The address of the request is too long', when: 'a part of a path has more than 100 characters' },
  {
    statuses: [415], text: 'Send the body as JSON, with the header Content-Type: application/json',
    when: 'the body is something else, or compressed'
  },
  { statuses: [416], text: 'The file has no such bytes', when: 'a range that lies behind the end of the file' },
  {
    statuses: [429], text: 'Too many attempts. Try again in a minute.',
    when: 'too many sign-ins, shared pages or tasks of a model in a minute, texts to be read aloud in two seconds (see `Retry-After`), questions on the side, background tasks or watched folders at once'
  },
  { statuses: [431], text: 'The headers of the request are too large', when: 'above 16 KiB' },
  {
    statuses: [500], text: 'Something went wrong in the service; its log has the details',
    when: 'a fault; the log has the details under the request\'s id'
  },
  {
    statuses: [502], text: 'The agent did not accept the answer',
    when: 'the agent process did not confirm in time; whoever transcribes or speaks has failed'
  },
  {
    statuses: [503], text: 'The service cannot store anything: its disk is full',
    when: 'the session is busy, the disk is full or the database locked (see `Retry-After`), a program is missing, speech is not set up'
  }
]
