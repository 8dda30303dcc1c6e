"""The chat templates that LLaMA-Factory registers, by release (0.8.3, 0.9.0 to 0.9.5 ``data/template.py`` register_template)."""

from __future__ import annotations

TEMPLATES = """
    qwen qwen3>=0.9.3 llama3 qwen2_vl>=0.9.0 gemma mistral deepseek default alpaca chatml glm4 phi aeva>=0.9.5 aquila<0.9.5
    atom<0.9.5 baichuan<0.9.5 baichuan2<0.9.5 bailing>=0.9.2 bailing_v2>=0.9.4 belle<0.9.5 bluelm<0.9.5 breeze chatglm2<0.9.5
    chatglm3 chatml_de codegeex2<0.9.5 codegeex4<0.9.5 cohere cpm<0.9.5 cpm3>=0.9.0<0.9.5 cpm4>=0.9.3 dbrx deepseek3>=0.9.2
    deepseekcoder deepseekr1>=0.9.3 dots_ocr>=0.9.4 empty ernie>=0.9.4 ernie_nothink>=0.9.4 ernie_vl>=0.9.4 exaone>=0.9.1 falcon
    falcon_h1>=0.9.4 fewshot gemma2>=0.9.4 gemma3>=0.9.3 gemma3n>=0.9.4 gemma4>=0.9.5 gemma4n>=0.9.5 glm4_5v>=0.9.4
    glm4_7>=0.9.5 glm4_moe>=0.9.4 glm4v>=0.9.4 glm_ocr>=0.9.5 glmz1>=0.9.3 gpt_oss>=0.9.4 granite3>=0.9.2 granite3_vision>=0.9.3
    granite4>=0.9.4 hunyuan>=0.9.3 hunyuan_small>=0.9.5 hy3>=0.9.5 index>=0.9.1 intern<0.9.5 intern2 intern_s1>=0.9.4
    intern_vl>=0.9.3 keye_vl>=0.9.4 kimi_vl>=0.9.3 lfm2>=0.9.5 lfm2_vl>=0.9.5 llama2 llama2_zh llama4>=0.9.3 llava>=0.9.0
    llava_next>=0.9.1 llava_next_llama3>=0.9.1 llava_next_mistral>=0.9.1 llava_next_qwen>=0.9.1 llava_next_video>=0.9.1
    llava_next_video_mistral>=0.9.1 llava_next_video_yi>=0.9.1 llava_next_yi>=0.9.1 marco>=0.9.2<0.9.5 mimo>=0.9.3
    mimo_v2>=0.9.4 mimo_vl>=0.9.3 minicpm_o>=0.9.2 minicpm_v>=0.9.2 minicpm_v_4_6>=0.9.5 minimax1>=0.9.4 minimax2>=0.9.4
    ministral>=0.9.2 ministral3>=0.9.4 mistral_small>=0.9.2 mllama>=0.9.1 moonlight>=0.9.2 olmo openchat openchat-3.6
    opencoder>=0.9.1 orion<0.9.5 paligemma>=0.9.0 paligemma_chat>=0.9.2 phi4>=0.9.2 phi4_mini>=0.9.5 phi_small>=0.9.1
    pixtral>=0.9.1 qwen2_audio>=0.9.2 qwen2_omni>=0.9.3 qwen3_5>=0.9.5 qwen3_5_nothink>=0.9.5 qwen3_6>=0.9.5
    qwen3_nothink>=0.9.4 qwen3_omni>=0.9.4 qwen3_omni_nothink>=0.9.4 qwen3_vl>=0.9.4 qwen3_vl_nothink>=0.9.4 sailor>=0.9.0
    seed_coder>=0.9.3 seed_oss>=0.9.4 skywork_o1>=0.9.2<0.9.5 smollm>=0.9.3 smollm2>=0.9.3 solar starchat telechat<0.9.5
    telechat2>=0.9.2 vicuna video_llava>=0.9.1 xuanyuan xverse<0.9.5 yayi<0.9.5 yi yi_vl youtu>=0.9.5 youtu_vl>=0.9.5 yuan
    zephyr ziya<0.9.5
"""
"""Those that people use most stand first."""
NEXT = "0.9.6"
"""The first release that was not read: it may have more."""
