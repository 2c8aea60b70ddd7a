import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'
import { bar } from './bar.js'

const number = formatter(() => new Intl.NumberFormat('zh-CN'))
const days = formatter(() => new Intl.DateTimeFormat('zh-CN', { day: 'numeric', month: 'numeric' }))

export const usage: Words['usage'] = {
  period: '时间范围',
  days: (count) => count === 365 ? '一年' : `${count} 天`,
  export: '导出',
  empty: '这段时间没有用量',
  emptyText: '对话和任务用掉的 token 和费用，会按天、模型、项目和任务统计在这里。',
  emptyAction: '开始对话',
  tokenCount: (tokens) => `${tokens} 个 token`,
  chatCount: (count) => `${number.format(count)} 个对话`,
  cachedShare: (percent) => `${percent}% 来自缓存`,
  cost: '费用',
  tokens: 'Token',
  input: '输入',
  output: '输出',
  chats: '对话',
  inOut: (read, written) => `输入 ${read}，输出 ${written}`,
  messages: (count) => `${number.format(count)} 条消息`,
  usd: bar.usd,
  short: bar.short,
  count: (count) => number.format(count),
  seconds: (seconds) => seconds >= 120 ? `${number.format(Math.round(seconds / 60))} 分钟` : `${seconds.toFixed(seconds < 10 ? 1 : 0)} 秒`,
  day: (date) => days.format(date),
  perDay: '每日用量',
  measure: '显示内容',
  breakdown: '明细',
  by: { model: '模型', kind: '类型', project: '项目', job: '任务', tool: '工具', prompt: '许可与提问' },
  share: '占比',
  turns: '轮次',
  runs: '运行',
  calls: '调用',
  failures: '失败',
  mean: '平均',
  total: '合计',
  asked: '询问',
  allowed: '允许',
  denied: '拒绝',
  answered: '已回答',
  expired: '超时',
  cancelled: '随轮次结束',
  open: '待处理',
  promptKinds: { approval: '许可', clarify: '提问' },
  kinds: {
    chat: '对话', goal: '目标', btw: '旁问', background: '后台任务', delegate: '子智能体', cron: '定时任务', deleted: '已删除的对话', retracted: '已撤销的回答',
    vision: '描述图片', web_extract: '阅读网页', session_search: '搜索对话', mcp_sampling: 'MCP 服务器', title: '标题', judge: '评判目标',
    compress: '摘要', commit_message: '提交说明', pull_request: '拉取请求', curate: '整理记忆', probe: '测试提供商', compare_attempts: '比较尝试', review_attempt: '评审尝试'
  },
  noProject: '不在项目中',
  gone: (id) => `已删除（${id}）`,
  nothing: '这段时间没有。',
  since: (at) => `自 ${days.format(at)} 起统计。`,
  budgets: '预算',
  budgetsText: '到提醒上限时会告诉你；到停止上限时，会等你允许后才继续。',
  scopes: { ...bar.scopes, attempts: '每组尝试', job: '单个任务' },
  limit: {
    soft_usd: (amount) => `到 ${amount} 提醒`,
    hard_usd: (amount) => `到 ${amount} 停止`,
    soft_tokens: (count) => `到 ${count} token 提醒`,
    hard_tokens: (count) => `到 ${count} token 停止`
  },
  noLimit: '不限',
  change: '修改',
  changeLimits: (scope) => `修改上限：${scope}`,
  today: (amount, tokens) => `今天：${amount}，${tokens} token`,
  ofLimit: (percent) => `已用今日上限的 ${percent}%`,
  unpriced: (model) => `不知道 ${model} 的价格。`,
  resets: (at) => `${at} 开始新的一天。`
}
