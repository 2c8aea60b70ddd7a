import { dollarsIn } from '../dollars.js'
import { formatter } from '../formatter.js'
import { type Words } from '../en/index.js'

const compact = formatter(() => new Intl.NumberFormat('zh-CN', { notation: 'compact', maximumFractionDigits: 1 }))

export const bar: Words['bar'] = {
  more: {
    label: '添加附件等',
    goal: { text: '追求一个目标', note: '一轮接一轮，直到达成目标。' },
    btw: { text: '提一个旁问', note: '快速回答，不会成为对话的一部分。' },
    background: { text: '在后台运行', note: '与此对话并行的单独任务，你可以继续。' },
    attempts: { text: '尝试多次…', note: '在多个工作树里做同一任务，然后采用最好的结果。' },
    worktree: { text: '在 git 工作树中工作', note: '新对话得到仓库的一份副本，使用自己的分支。' },
    all: '所有命令'
  },
  getKey: '获取密钥…',
  effortTitle: '思考强度',
  effort: (effort) =>
    ({ '': '常规强度', none: '不思考', minimal: '极低', low: '低', medium: '中', high: '高', xhigh: '很高', max: '最高' }[effort] ?? effort),
  effortBrief: (effort) =>
    ({ '': '常规', none: '关', minimal: '极低', low: '低', medium: '中', high: '高', xhigh: '很高', max: '最高' }[effort] ?? effort),
  effortSet: (effort) => `思考强度：${effort}`,
  personality: '人格',
  noPersonality: '无人格',
  scopes: { turn: '单轮', session: '单个对话', day: '单日' },
  usd: dollarsIn('zh'),
  demo: '离线演示',
  short: (count) => compact.format(count)
}
