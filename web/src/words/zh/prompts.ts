import { type Words } from '../en/index.js'

const times = new Intl.DateTimeFormat('zh-CN', { hour: '2-digit', minute: '2-digit', hour12: false })
const days = new Intl.DateTimeFormat('zh-CN', { day: 'numeric', month: 'short' })
const number = new Intl.NumberFormat('zh-CN')
const scopes: Readonly<Record<string, string>> = { turn: '单轮', session: '单个对话', job: '单个任务', day: '单日' }

export const prompts: Words['prompts'] = {
  approval: '需要许可',
  question: '提问',
  title: {
    create: (file) => `新建 ${file}`,
    edit: (file) => `修改 ${file}`,
    write: (file) => `写入 ${file}`,
    command: (program) => program === '' ? '运行命令' : `运行 ${program}`,
    request: (method, host) => `${method} ${host}`,
    mcp: (tool, server) => `使用 ${server} 的 ${tool}`,
    sampling: (server) => `${server} 要询问模型`,
    instructions: '指令有改动',
    budget: '预算已用完',
    other: '需要许可'
  },
  files: (count) => `${count} 个文件`,
  since: (at) => `自 ${at.toDateString() === new Date().toDateString() ? times.format(at) : `${days.format(at)} ${times.format(at)}`} 起等待`,
  position: (at, of) => `第 ${at} 项，共 ${of} 项`,
  left: (clock) => `剩余 ${clock}`,
  lastCall: (seconds) => `还剩 ${seconds} 秒可以回答`,
  elseDenied: '不回答即视为拒绝。',
  elseTold: '不回答的话，提问方会得知无人回答。',
  elseAssumed: '不回答的话，它会按自己的假设继续。',
  command: '命令',
  content: '内容',
  emptyFile: '空文件',
  arguments: '参数',
  sandboxed: '在沙箱内',
  unsandboxed: '在沙箱外',
  inFolder: (folder) => `位于 ${folder}`,
  parts: '它会运行：',
  partsCut: '还有更多未显示。',
  folded: (chars: number) => `[已隐藏，${chars} 个字符]`,
  secret: (chars: number) => `[服务自身的密钥，${chars} 个字符]`,
  unfold: '显示已隐藏的内容',
  unseen: (chars) => `还有 ${number.format(chars)} 个字符未在此显示。`,
  showRest: '显示全部',
  unseenFor: (why) => `其余内容未能加载。${why}`,
  noDiff: (why) => `无法显示改动：${why}`,
  budget: {
    scope: { turn: '本轮', session: '此对话', job: '此任务', day: '今天' },
    usd: (amount) => `$${amount.toFixed(2)}`,
    tokens: (count) => `${number.format(count)} 个 token`,
    line: (scope, used, limit, upTo) => `${scope}：上限 ${limit}，已用 ${used}。允许一次则可用到 ${upTo}。`
  },
  once: '允许一次',
  session: '此对话',
  deny: '拒绝',
  always: '始终…',
  more: '更多…',
  alwaysTitle: '始终允许？',
  alwaysText: '在此配置的所有对话中，智能体无需询问即可：',
  alwaysNote: '这条规则保存在配置的设置里，可以在那里删除。',
  allowAlways: '始终允许',
  back: '返回',
  rule: {
    command: (command) => `运行 ${command}，不论后面带什么参数`,
    net: (host) => `连接 ${host}`,
    mcp: (server, tool) => `使用 MCP 服务器 ${server} 的 ${tool}`,
    budget: (scope, measure) => `超出${scopes[scope] ?? scope}的${measure === 'usd' ? '费用' : ' token '}上限`,
    workspace: '修改工作区的文件',
    memory: '修改它在每次对话中都会读到的内容',
    skills: '保存技能',
    schedules: '修改任务',
    readOutside: '读取工作区以外的文件',
    writeOutside: '修改工作区以外的文件',
    readProtected: '读取受保护的文件',
    writeProtected: '修改受保护的文件',
    ownGit: '让 git 运行此仓库现有的钩子和设置',
    opaque: '运行无法事先读懂的命令'
  },
  sessionHint: (rules) => `在此对话余下的时间里，它可以${rules}`,
  answer: '回答',
  ownAnswer: '你的回答',
  orOwnAnswer: '或者自己写',
  declineForm: '拒绝',
  formRequired: '此项必填。',
  formUnfit: '此项不符合要求。',
  formYes: '是',
  formNo: '否',
  formLimits: (of, min, max) => {
    const range = min === undefined ? `最多 ${max}` : max === undefined ? `最少 ${min}` : `${min} 至 ${max}`
    return `${range}${of === 'number' ? '' : of === 'characters' ? ' 个字符' : ' 项'}。`
  },
  late: '已经在别处回答过了。',
  gone: '已经不需要回答了。',
  notSent: (why) => `你的回答没有送达。${why}`,
  asked: (title) => `需要许可：${title}`,
  questionAsked: (question) => `提问：${question}`,
  open: '回答…'
}
