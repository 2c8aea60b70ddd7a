import { Type } from '@sinclair/typebox'
import { Closed, Flag, Maybe, Nullable, OneOf, Seconds } from './common.js'

const channels = ['stable', 'experimental'] as const
const Channel = OneOf(channels, 'stable: the newest release, if any; experimental: the head of the branch')

export const InstalledAs = OneOf(
  ['git', 'source', 'npm-global', 'npm-local', 'npx', 'pnpm', 'bun', 'archive', 'image', 'copy'],
  'git: a checkout, which can update itself; source: it runs from its sources; copy: an unknown way'
)
const Command = () => Type.Optional(Type.String({
  description: 'the command line that installs the new version, if the service cannot do that itself'
}))

const RepoInfo = Closed({
  name: OneOf(['webui', 'agent']),
  behind: Nullable(Type.Integer({ minimum: 0 }), 'how many commits or published versions behind; null: unknown'),
  current_sha: Type.Optional(Type.String()),
  latest_sha: Type.Optional(Nullable(Type.String())),
  current_version: Type.Optional(Type.String({ description: 'the release that this version contains' })),
  latest_version: Type.Optional(Type.String()),
  branch: Type.Optional(Nullable(Type.String())),
  repo_url: Type.Optional(Nullable(Type.String(), 'address of the repository for a browser, without credentials; null: none')),
  compare_url: Type.Optional(Nullable(Type.String(), 'address of a page that shows the changes; null: none')),
  dirty: Type.Optional(Type.Boolean({ description: 'the checkout has changed files' })),
  no_git: Type.Optional(Type.Literal(true, { description: 'this is not a checkout that can be updated; `message` says why' })),
  ignored: Type.Optional(Type.Literal(true, { description: 'the agent is updated together with the service' })),
  error: Type.Optional(Type.String({ description: 'why the remote could not be asked' })),
  stale_check: Type.Optional(Type.Literal(true)),
  message: Type.Optional(Type.String()),
  command: Command()
}, { title: 'RepoInfo' })

export const UpdateCheck = Closed({
  disabled: Type.Optional(Type.Literal(true, { description: 'checks are switched off; all other keys are absent then' })),
  webui: Type.Optional(Nullable(RepoInfo, 'null: not checked yet')),
  agent: Type.Optional(Nullable(RepoInfo, 'part of this service')),
  checked_at: Type.Optional(Seconds('epoch seconds; 0: not checked yet')),
  include_agent: Type.Optional(Type.Boolean({ description: 'the agent has a repository of its own' })),
  channel: Type.Optional(Channel),
  installed_as: Type.Optional(InstalledAs),
  cached: Type.Optional(Type.Literal(true)),
  stale_channel: Type.Optional(Type.Literal(true, { description: 'the last check was for another channel than the settings have now' })),
  simulated: Type.Optional(Type.Literal(true)),
  waiting: Type.Optional(Closed({
    since: Seconds(), turns: Type.Integer({ description: 'how many running turns it still waits for' })
  }, { description: 'an update that waits for running turns that its restart would end; absent: none waits' })),
  last_update: Type.Optional(
    Nullable(Closed({ ok: Type.Boolean(), message: Type.String(), finished_at: Seconds() }), 'the result of the last update')
  )
}, { title: 'UpdateCheck' })

export const UpdateCheckQuery = Type.Object({ simulate: Flag('simulate a new version, for client developers; from this machine only') })
export const CheckForUpdates = Type.Object({
  force: Maybe(Type.Boolean({ description: 'ask the remote even if checks are switched off or the last result is recent' })),
  channel: Maybe(OneOf(channels, 'the channel, instead of that of the settings'))
})

export const ApplyUpdate = Type.Object({
  target: OneOf(['webui', 'agent']),
  now: Maybe(Type.Boolean({ description: 'update even if the restart ends running turns, because the new version cannot continue them' })),
  wait: Maybe(Type.Boolean({ description: 'if the restart would end running turns, update as soon as they have ended' })),
  cancel: Maybe(Type.Boolean({ description: 'only cancel an update that waits for turns' }))
})

const Set = (description: string) => Type.Optional(Type.Literal(true, { description }))
const Ids = () => Type.Optional(Type.Array(Type.String()))
export const UpdateApplied = Closed({
  ok: Type.Boolean(),
  message: Type.String({ description: 'a sentence for the person' }),
  target: Type.String(),
  restart_scheduled: Set('the service restarts in 2 seconds'),
  command: Command(),
  up_to_date: Set('no newer version exists'),
  stash_conflict: Set('local changes conflict with the new version and are kept in a stash'),
  lock_conflict: Set('another git operation holds the lock'),
  conflict: Set('conflicts or untracked files prevent the update'),
  diverged: Set('the checkout has commits of its own'),
  restart_blocked: Set('running turns that the restart would end; send `now` to end them, or `wait`'),
  waiting: Set('the update begins when the running turns that the restart would end have ended'),
  active_streams: Type.Optional(Type.Integer()),
  active_runs: Type.Optional(Type.Integer()),
  blocking_stream_ids: Ids(),
  blocking_run_ids: Ids()
}, { title: 'UpdateApplied' })
