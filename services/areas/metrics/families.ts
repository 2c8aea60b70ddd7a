import { type AgentRuntime } from '../../agent/index.js'
import { type Database } from '../../ground/database/index.js'
import { type EventBroker } from '../../ground/events/index.js'
import { type Chat } from '../chat/index.js'
import { type Crons } from '../crons/index.js'
import { type Machines } from '../machines/index.js'
import { type Prompts } from '../prompts/index.js'
import { type Push } from '../push/index.js'
import { type MessageQueue } from '../queue/index.js'
import { type EventLoopDelay } from './event-loop.js'
import { counter, counterBy, gauge, gaugeBy, type Family } from './family.js'
import { type ModelMeter } from './model-calls.js'
import { durationBoundsS, type RequestMeter } from './requests.js'
import { type Sizes } from './sizes.js'

/** The sources of the numbers. */
export interface Measured {
  version: string
  db: Pick<Database, 'trouble' | 'waiting'>
  events: Pick<EventBroker, 'size'>
  agent: Pick<AgentRuntime, 'hosts' | 'size'>
  chat: Pick<Chat, 'acceptedTurns' | 'phases'>
  prompts: Pick<Prompts, 'standing'>
  queue: Pick<MessageQueue, 'waiting'>
  crons: Pick<Crons, 'standing'>
  push: Pick<Push, 'state'>
  machines: Pick<Machines, 'list'>
  /** Event streams, by the route at which they were opened. */
  eventStreams: () => ReadonlyMap<string, { open: number, opened: number }>
  /** The number of log lines that could not be written. */
  linesLost: () => number
  requests: RequestMeter
  models: ModelMeter
}

/** What is read once for each text, because several numbers come from it. */
export interface Reading {
  sizes: Sizes
  eventLoop: EventLoopDelay
  writes: ReturnType<Database['waiting']>
  prompts: ReturnType<Prompts['standing']>
  crons: ReturnType<Crons['standing']>
  push: ReturnType<Push['state']>
}

/** Returns all metrics. `reading` returns what was read for the text that is being made. */
export function allFamilies (measured: Measured, reading: () => Reading): Family[] {
  return [
    ...ofProcess(measured, reading), ...ofRequests(measured), ...ofStorage(measured, reading), ...ofTurns(measured, reading),
    ...ofModels(measured), ...ofJobs(reading)
  ]
}

export function readAll ({ crons, push, prompts, db }: Measured, taken: Pick<Reading, 'sizes' | 'eventLoop'>): Reading {
  return { ...taken, writes: db.waiting(), prompts: prompts.standing(), crons: crons.standing(), push: push.state() }
}

function ofProcess ({ version, linesLost }: Measured, reading: () => Reading): Family[] {
  const build = { labels: { version, node: process.versions.node }, value: 1 }
  const startedS = Date.now() / 1000 - process.uptime()
  return [
    {
      name: 'svc_build_info', help: 'Version of the service and of Node.js; always 1', type: 'gauge', labels: ['version', 'node'],
      read: () => [build]
    },
    gauge('svc_process_start_time_seconds', 'When the process began, in epoch seconds', () => startedS),
    counterBy(['mode'], 'svc_process_cpu_seconds_total', 'Processor time of the web process', () => {
      const { user, system } = process.cpuUsage()
      return [{ labels: { mode: 'user' }, value: user / 1e6 }, { labels: { mode: 'system' }, value: system / 1e6 }]
    }),
    gauge('svc_process_resident_memory_bytes', 'Memory of the web process', () => process.memoryUsage.rss()),
    gauge('svc_process_open_fds', 'Open file descriptors of the web process; on Linux only', () => reading().sizes.openFiles),
    gauge('svc_event_loop_delay_p50_seconds', 'How late timers were since the last scrape, median', () => reading().eventLoop.p50S),
    gauge('svc_event_loop_delay_p99_seconds', 'How late timers were since the last scrape, 99th percentile',
      () => reading().eventLoop.p99S),
    gauge('svc_event_loop_delay_max_seconds', 'How late timers were since the last scrape, longest', () => reading().eventLoop.longestS),
    counter('svc_log_lines_dropped_total', 'Lines of the log that could not be written', linesLost)
  ]
}

function ofRequests ({ requests, eventStreams, events }: Measured): Family[] {
  const labels = ['method', 'route', 'status']
  return [
    counterBy(labels, 'svc_http_requests_total', 'Requests whose answer was sent, without event streams', requests.requests),
    {
      name: 'svc_http_request_duration_seconds', help: 'From the arrival of a request to the end of its answer; without event streams',
      type: 'histogram', labels, bounds: durationBoundsS, read: requests.durations
    },
    gaugeBy('route', 'svc_event_streams_open', 'Event streams that clients hold open',
      () => Object.fromEntries([...eventStreams()].map(([route, { open }]) => [route, open]))),
    counterBy(['route'], 'svc_event_streams_opened_total', 'Event streams that clients have opened',
      () => [...eventStreams()].map(([route, { opened }]) => ({ labels: { route }, value: opened }))),
    gauge('svc_event_subscriptions', 'Readers of topics, such as turns and lists', () => events.size().subscriptions)
  ]
}

function ofStorage ({ db }: Measured, reading: () => Reading): Family[] {
  return [
    gauge('svc_database_size_bytes', 'Size of the database', () => reading().sizes.databaseBytes),
    gauge('svc_database_wal_size_bytes', 'Size of the write-ahead log of the database', () => reading().sizes.walBytes),
    gauge('svc_disk_free_bytes', 'Free space of the disk with the state of the service', () => reading().sizes.freeBytes),
    gauge('svc_database_writable', '1, or 0 while the disk or the database refuses writes', () => db.trouble() === null ? 1 : 0),
    gauge('svc_writer_queue_writes', 'Writes that are not stored yet, such as frames of turns', () => reading().writes.writes),
    gauge('svc_journal_lag_seconds', 'How long the first write that is not stored yet has waited; frames are sent when they are stored',
      () => reading().writes.oldestMs / 1000)
  ]
}

function ofTurns ({ chat, agent, queue, machines, models }: Measured, reading: () => Reading): Family[] {
  const prompts = (of: (kind: ReturnType<Prompts['standing']>[number]) => number) => () => {
    const byKind = { approval: 0, question: 0 }
    for (const standing of reading().prompts) byKind[standing.kind === 'approval' ? 'approval' : 'question'] = of(standing)
    return byKind
  }
  return [
    gaugeBy('phase', 'svc_turns_live', 'Turns that are not over, by phase', () => ({ accepting: chat.acceptedTurns(), ...chat.phases() })),
    counterBy(['kind', 'outcome'], 'svc_turns_ended_total', 'Turns that are over', models.turns),
    gauge('svc_queued_messages', 'Messages that wait in the queues of conversations', () => queue.waiting()),
    gaugeBy('kind', 'svc_prompts_waiting', 'Approvals and questions that wait for a person', prompts(({ count }) => count)),
    gaugeBy('kind', 'svc_prompt_oldest_age_seconds', 'How long the oldest approval or question has waited; 0 where none does',
      prompts(({ oldestS }) => oldestS)),
    gaugeBy('state', 'svc_agent_hosts', 'Agent processes', () => agent.hosts()),
    gauge('svc_agent_runs', 'Runs that agent processes work on', () => agent.size().runs),
    gaugeBy('state', 'svc_machines', 'Other machines that have joined', () => {
      const byState = { ready: 0, away: 0, refused: 0 }
      for (const { state } of machines.list()) byState[state]++
      return byState
    })
  ]
}

function ofModels ({ models }: Measured): Family[] {
  return [
    counterBy(['provider', 'outcome'], 'svc_model_calls_total', 'Calls of models', models.calls),
    counterBy(['provider', 'kind'], 'svc_model_tokens_total', 'Tokens of models', models.tokens),
    counterBy(['provider'], 'svc_model_cost_usd_total', 'US dollars, of calls whose price is known', models.dollars)
  ]
}

function ofJobs (reading: () => Reading): Family[] {
  return [
    gaugeBy('state', 'svc_jobs', 'Scheduled jobs', () => {
      const byState = { scheduled: 0, paused: 0, completed: 0, error: 0 }
      for (const { state, count } of reading().crons.jobs) byState[state] += count
      return byState
    }),
    gaugeBy('status', 'svc_jobs_last_run', 'Scheduled jobs by how their last run went', () => {
      const byStatus = { none: 0, ok: 0, error: 0, delivery_failed: 0, blocked_config: 0 }
      for (const { lastStatus, count } of reading().crons.jobs) byStatus[lastStatus ?? 'none'] += count
      return byStatus
    }),
    gauge('svc_jobs_due', 'Scheduled jobs whose time has come and that have not begun', () => reading().crons.due),
    gauge('svc_job_deliveries_pending', 'Answers of jobs on their way to webhooks and conversations', () => reading().crons.deliveries),
    counter('svc_job_delivery_failures_total', 'Attempts to deliver answers of jobs that failed', () => reading().crons.failures),
    gauge('svc_push_messages_pending', 'Web Push messages on their way', () => reading().push.messages),
    counter('svc_push_failures_total', 'Attempts to send Web Push messages that failed', () => reading().push.failures),
    gaugeBy('state', 'svc_push_subscriptions', 'Browsers with Web Push, by how the last message went', () => reading().push.subscriptions)
  ]
}
