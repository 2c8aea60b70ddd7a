import { type Words } from '../en/index.js'

const moment = (at: Date, timeZone?: string): string => {
  const format = (zone?: string): string => new Intl.DateTimeFormat('zh-CN', {
    weekday: 'short', day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', hour12: false,
    ...(zone === undefined ? {} : { timeZone: zone, timeZoneName: 'short' })
  }).format(at)
  try { return isHere(timeZone) ? format() : format(timeZone) } catch { return format() }
}
const isHere = (zone: string | undefined): boolean => zone === undefined || zone === Intl.DateTimeFormat().resolvedOptions().timeZone
const number = new Intl.NumberFormat('zh-CN')

export const tasks: Words['tasks'] = {
  create: '新建任务',
  edit: '编辑',
  editTitle: (name) => `编辑“${name}”`,
  allProfiles: '显示所有配置的任务',
  empty: '还没有任务',
  emptyText: '任务是在设定的时间发给智能体的消息，没人看着时也会执行。结果保存在这里，或发送到你想要的地方。',
  exampleButton: (name) => `试一个：${name}`,
  example: { name: '早间巡视', prompt: '看一遍工作区：昨天以来有什么变化，接下来该做什么？不超过十行。', schedule: 'weekdays 9:00' },
  states: {
    running: '正在运行', queued: '排队中', paused: '已暂停', completed: '已结束', failed: '失败', undelivered: '未送达', blocked: '设置有误', scheduled: '已启用'
  },
  runNow: '立即运行',
  runsAlready: '已经在运行了。',
  actionsOf: (name) => `“${name}”的更多操作`,
  pause: '暂停',
  resume: '继续',
  pausedToast: (name) => `“${name}”已暂停。`,
  deleted: (name) => `“${name}”已删除。`,
  deleteTitle: '删除这个任务？',
  deleteText: (name) => `“${name}”各次运行留下的结果会一并删除，无法恢复。`,
  next: (at, zone) => `下次 ${moment(at, zone)}`,
  last: (at, zone) => `上次 ${moment(at, zone)}`,
  at: (at) => moment(at),
  skipped: (at, zone) => `已跳过：${moment(at, zone)}`,
  interval: (minutes) => minutes % 1_440 === 0 ? `每 ${minutes / 1_440} 天` : minutes % 60 === 0 ? `每 ${minutes / 60} 小时` : `每 ${minutes} 分钟`,
  told: {
    ended: (name) => `“${name}”已运行。`,
    failed: (name) => `“${name}”运行出了问题。`,
    skipped: (name) => `“${name}”这一次被跳过。`,
    open: '查看'
  },
  neverRan: '尚未运行',
  times: (done, times) => `已运行 ${done} / ${times} 次`,
  streak: (runs) => `已连续 ${runs} 次。`,
  toChat: '最近一次运行',
  runs: '运行结果',
  noRuns: '暂时没有。每次运行的回答都会留在这里。',
  moreRuns: (count) => `显示更早的（${count}）`,
  used: (tokens, cost) => `${number.format(tokens)} 个 token${cost === null ? '' : `，$${cost.toFixed(cost < 0.1 ? 4 : 2)}`}`,
  name: '名称',
  prompt: '要做什么',
  promptHint: '{{last_output}} 代表上一次运行的回答。',
  schedule: '时间',
  scheduleHint: '星期加时间、间隔、某一时刻，或 cron 表达式，例如“每个工作日早上”。',
  scheduleKinds: {
    interval: '反复运行，从保存的那一刻算起。',
    days: '在这些日子的这个时间，按配置的时区。',
    cron: 'cron 表达式：分、时、日、月、星期。',
    once: '只运行一次，之后就结束。'
  },
  scheduleRefused: {
    schedule_unclear: '还没看懂。请写星期和时间，如“每个工作日早上”或“周一和周五14:00”；或写间隔，如“每2小时”。',
    schedule_cron: '这个 cron 表达式无法识别。它由五部分组成：分、时、日、月、星期。',
    schedule_never: '没有符合的日期。',
    schedule_past: '这个时刻已经过去，请选择将来的时刻。'
  },
  nextRuns: (runs, zone) =>
    runs.length === 0 ? '没有符合的日期。' : `${runs.length === 1 ? '运行时间：' : '接下来：'}${runs.map((at) => moment(at, zone)).join(' · ')}`,
  examples: '示例',
  scheduleExamples: ['每个工作日早上', '每天18:30', '每2小时', '周一和周五中午', '明天早上', '0 6 1 * *'],
  moreSettings: '更多设置',
  delivery: '回答送到哪里',
  deliveries: { local: '保存在这里', origin: '发到创建它的对话', push: '推送到已订阅的浏览器', webhook: '发到 webhook' },
  webhook: 'webhook 地址',
  webhookHint: '每次结果都会以带签名的 JSON 发送到那里。',
  model: '模型',
  usualModel: '按配置',
  profile: '配置',
  thisProfile: '当前配置',
  workspace: '文件夹',
  folderTitle: '任务的文件夹',
  usualFolder: '默认文件夹',
  repeat: '运行次数',
  forever: '不限',
  skills: '技能',
  ask: '有问题时等我回答',
  askHint: '否则，运行中需要询问的操作一律拒绝。',
  toast: '运行结束时通知我',
  saved: (name) => `“${name}”已保存。`,
  savedNext: (name, at, zone) => `“${name}”已保存，下次运行：${moment(at, zone)}。`
}
