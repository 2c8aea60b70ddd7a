import { type Words } from '../en/index.js'

const named = (text: string, name: string | null): string => name === null ? text : `${text}（${name}）`

export const away: Words['away'] = {
  all: '查看全部',
  later: '接下来',
  empty: '没有正在运行、等待或已结束的内容',
  emptyText: '你不在的时候，智能体做了什么，都会列在这里。',
  counted: {
    waiting: (count) => `${count} 项等你处理`,
    running: (count) => `${count} 项运行中`,
    queued: (count) => `${count} 项排队中`,
    ended: (count) => `${count} 项已完成`
  },
  listed: (parts) => `${parts.join('，')}。`,
  works: '智能体正在工作。',
  parked: (provider, when) => when === null ? `${provider} 的限额已用完，等你决定如何继续。` : `${provider} 的限额已用完，${when} 恢复后会自动继续。`,
  decide: '去决定',
  cannotContinue: (provider) => `无法用 ${provider} 继续，等你决定如何继续。`,
  worksOn: (what) => `正在做：${what}`,
  stop: '停止',
  stopIt: (title) => `停止“${title}”`,
  silent: (span, cause) => `已有 ${span}没有动静：${cause}。`,
  causes: {
    model: (name) => `${name ?? '模型'} 还没有回复`,
    command: (line) => named('正在运行的命令没有输出', line),
    tool: (name) => named('工具还没有返回', name),
    sub_agent: () => '子智能体正在工作',
    person: () => '正在等你回答'
  },
  behind: (count) => `${count} 条消息等前一轮结束，之后自动开始。`,
  notBefore: (count, when) => `${count} 条消息等到${when}。`,
  held: (count, reason) => {
    if (reason === 'waiting') return `${count} 条消息等当前一轮结束，这一轮在等你回答。`
    if (reason === 'limit') return `${count} 条消息等当前一轮结束，这一轮在等提供商的限额恢复。`
    const why: Readonly<Record<string, string>> = {
      failed: '前一轮失败了', cancelled: '你停止了前一轮', budget: '预算已用完', restored: '已恢复备份'
    }
    return `${why[reason] ?? '队列已暂停'}，${count} 条消息等你决定。`
  },
  runs: '正在运行的结束后开始。',
  next: (when) => `下次运行：${when}。`
}
