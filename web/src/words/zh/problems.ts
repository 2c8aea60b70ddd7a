import { type Words } from '../en/index.js'

export const problems: Words['problems'] = {
  cut: {
    length: '回答达到了最大长度。',
    content_filter: '提供商中断了这个回答。请换种说法，或换一个模型。',
    budget_exhausted: '预算已用完。发送“continue”可再次询问，也可在“用量”中修改预算。',
    other: '回答不完整。'
  },
  goOn: '继续',
  toModels: '到“模型”中检查',
  toAgents: '到“设置 → 权限”中查看',
  labelled: (label) => `${label}。`,
  label: {
    rate_limit: '请求受限',
    quota_exhausted: '额度已用完',
    auth_mismatch: '未被接受',
    model_not_found: '找不到模型',
    mode_not_allowed: '不允许',
    no_response: '没有回答',
    answer_too_large: '回答过长',
    compression_exhausted: '对话太长',
    format_missed: '格式不符',
    unsupported: '不支持',
    interrupted: '已中断',
    cancelled: '已停止',
    error: '出错'
  },
  said: {
    auth_mismatch: (provider) => `${provider} 拒绝了这个密钥。`,
    quota_exhausted: (provider) => `${provider} 账户的额度已用完。`,
    rate_limit: (provider) => `${provider} 暂时不再接受请求。`,
    model_not_found: (provider, model) => `${provider} 没有模型 ${model}。`,
    no_response: (provider) => `${provider} 没有回答，或在回答中途断开。`
  },
  next: {
    rate_limit: '请稍等片刻再试。',
    quota_exhausted: '请在提供商处充值，或换一个提供商。',
    auth_mismatch: '请检查此提供商的密钥。',
    model_not_found: '请换一个模型。',
    mode_not_allowed: '请换一种模式，或允许这种模式。',
    no_response: '请确认提供商正在运行且可以访问，然后再试。',
    answer_too_large: '已收到的内容已保留。请一次少问一些。',
    compression_exhausted: '请开始新对话，或换一个上下文更大的模型。',
    format_missed: '请再试一次，或换一个模型。',
    unsupported: '请换一个模型。',
    interrupted: '已写出的内容已保留。请再试一次。',
    cancelled: '可以再试一次。',
    error: '请再试一次，或换一个模型。'
  }
}
