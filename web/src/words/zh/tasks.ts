import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { sayInChinese } from '../../../../schedules/chinese.js'
import { type Words } from '../en/index.js'

const number = formatter(() => new Intl.NumberFormat('zh-CN'))
const day = (date: string, options: Intl.DateTimeFormatOptions): string =>
  new Intl.DateTimeFormat('zh-CN', { ...options, timeZone: 'UTC' }).format(new Date(`${date}T00:00Z`))
const dayMonth = (date: string): string => `${day(date, { day: 'numeric', month: 'short' })}${day(date, { weekday: 'short' })}`
const dollars = dollarsIn('zh', 0.01)

/** The name of a zone as the browser knows it in Chinese: Berlin is in 中欧时间. */
function zoneName (zone: string): string {
  try {
    const format = new Intl.DateTimeFormat('zh-CN', { timeZone: zone, timeZoneName: 'longGeneric' })
    return format.formatToParts().find(({ type }) => type === 'timeZoneName')?.value ?? zone
  } catch {
    return zone
  }
}

export const tasks: Words['tasks'] = {
  create: '新建任务',
  isNew: '新',
  edited: '未保存',
  ways: { label: '怎样开始工作', times: '按时间', calls: '被调用时' },
  list: '任务',
  paused: '已暂停',
  finished: '已结束',
  back: '全部任务',
  gone: '这个任务已经不在了，请选择别的。',
  allProfiles: '显示所有配置档案的任务',
  empty: '还没有安排任务',
  emptyText: '任务是到点发给智能体的一条消息，你不在时也照常进行。',
  exampleButton: (name) => `试一个：${name}`,
  example: { name: '早间巡视', prompt: '看一遍这个文件夹：昨天以来有什么变化，接下来该做什么？不超过十行。', schedule: '每个工作日早上' },
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
  deleteText: (name) => `“${name}”的结果会一并删除，无法恢复。`,
  skipped: (at) => `已跳过：${at}。`,
  told: {
    ended: (name) => `“${name}”已运行。`,
    failed: (name) => `“${name}”运行失败。`,
    skipped: (name) => `“${name}”这一次已跳过。`,
    open: '查看'
  },
  times: (done, times) => `已运行 ${done} / ${times} 次`,
  streak: (runs) => `已连续 ${runs} 次。`,
  toChat: '打开最近的对话',
  runs: '结果',
  noRuns: '还没有结果。每次运行的回答都会留在这里。',
  moreRuns: (count) => `显示更早的（${count}）`,
  went: '完成',
  used: (tokens, cost) => cost === null || cost === 0 ? `${number.format(tokens)} 个 token` : dollars(cost),
  cost: (run, month) => `每次约 ${dollars(run)}${month === null ? '' : `，每月约 ${dollars(month)}`}`,
  name: '名称',
  prompt: '要做什么？',
  promptPlaceholder: '看一遍文件夹，告诉我接下来该做什么。',
  promptHint: '消息里的 {{last_output}} 代表上一次运行的回答。',
  schedule: '什么时候？',
  hour: '钟点',
  meant: '你是说',
  inZone: (zone) => zoneName(zone),
  once: (at) => `一次，${at}`,
  weekday: (date) => day(date, { weekday: 'narrow' }),
  daysLabel: (dates) => dates.length === 0 ? '两周内不会运行' : `两周内的运行日：${dates.map(dayMonth).join('、')}`,
  nextRuns: (next, [first, ...rest]) => {
    const others = rest.map(({ date, time }) => date === first?.date ? time : time === first?.time ? dayMonth(date) : `${dayMonth(date)} ${time}`)
    return `下次：${next}${others.length === 0 ? '' : `，然后是${others.join('、')}`}`
  },
  fiveMore: '再看五次',
  fewer: '收起',
  scheduleRefused: {
    schedule_unclear: '还没看懂。请写日子和时间，或写间隔：“每个工作日早上”、“每2小时”。',
    schedule_cron: '这个 cron 表达式无法识别。它由五部分组成：分、时、日、月、星期。',
    schedule_never: '没有符合的日期。',
    schedule_past: '这个时刻已经过去，请选择将来的时刻。'
  },
  say: sayInChinese,
  examples: '示例',
  scheduleExamples: ['每个工作日早上', '每天18:30', '每两周的周二7点', '每月1号', '两小时后'],
  delivery: '回答送到哪里？',
  deliveries: { local: '主页', origin: '原来的对话', push: '我的设备', webhook: 'Webhook' },
  deliveryNotes: {
    local: '留在这里的“结果”中。',
    origin: '发到创建这个任务的对话。',
    push: '以通知发到所有已开启通知的浏览器。'
  },
  webhook: 'Webhook 地址',
  webhookHint: '每次结果都会以带签名的 JSON 发送到那里。',
  model: '模型',
  usualModel: '默认模型',
  otherModel: '其他模型…',
  profile: '配置档案',
  thisProfile: '当前档案',
  workspace: '文件夹',
  folderTitle: '任务的文件夹',
  usualFolder: '默认文件夹',
  otherFolder: '其他文件夹…',
  addSkill: '添加技能',
  removeSkill: (name) => `移除技能 ${name}`,
  advanced: '高级',
  cron: 'Cron 表达式',
  cronHint: '分、时、日、月、星期，会取代上面的文字。',
  repeat: '运行次数',
  forever: '不限',
  ask: '需要许可时',
  asks: { wait: '等我', deny: '跳过，继续做' },
  toast: '运行结束时通知我',
  save: '保存任务',
  tryNow: '现在试一次',
  saveAndTry: '保存并试一次',
  discard: '放弃修改',
  saved: (name) => `“${name}”已保存。`,
  savedNext: (name, at) => `“${name}”已保存，下次运行：${at}。`
}
