/** What the workspace is made of, and what was learned of it as a whole. */
import type { WorkspaceFact } from "../../../../vscode/src/contract.gen";
import { useAnswer } from "../../answer";
import { openFile } from "../../parts/open";
import { Quote } from "../../parts/quote";
import { chosenRoot } from "../../parts/root";
import { Answered } from "../../parts/states";
import { indexChanges, memoryChanges, uriOf } from "../../session";
import { t } from "../../texts";

const order: WorkspaceFact["kind"][] = ["language", "version", "command", "tool", "convention", "pattern", "service", "dependency"];

export function WorkspaceFacts() {
  const facts = useAnswer("contexture.knowledge.workspace", chosenRoot(), { changes: indexChanges });
  const digest = useAnswer("contexture.knowledge.digest", chosenRoot(), { changes: memoryChanges });
  return (
    <div class="made-of">
      <Answered answer={digest}>
        {({ mistakes }) =>
          mistakes.length > 0 && (
            <section>
              <h2>{t("topics.mistakes")}</h2>
              {mistakes.map((m) => (
                <details class="profile-item" key={m.lessons.join() || m.problem}>
                  <summary>
                    <span dir="auto">{m.problem}</span> <span class="quiet">{t("topics.mistakeTimes", { n: m.times })}</span>
                  </summary>
                  {m.worked.length > 0 && (
                    <p>
                      <span class="quiet">{t("topics.worked")}</span> <span class="mono">{m.worked.join(", ")}</span>
                    </p>
                  )}
                  {m.quotations.map((q) => (
                    <Quote key={`${q.conversationId} ${q.turnId} ${q.text}`} quotation={q} />
                  ))}
                </details>
              ))}
            </section>
          )
        }
      </Answered>
      <h2>{t("topics.madeOf")}</h2>
      <Answered answer={facts}>
        {({ facts: all }) => (
          <>
            {!all.length && <p class="quiet">{t("topics.noFacts")}</p>}
            <div class="facts-columns">
              {order.map((kind) => (
                <FactGroup key={kind} kind={kind} facts={all.filter((f) => f.kind === kind)} />
              ))}
            </div>
          </>
        )}
      </Answered>
    </div>
  );
}

function FactGroup({ kind, facts }: { kind: WorkspaceFact["kind"]; facts: readonly WorkspaceFact[] }) {
  if (!facts.length) return null;
  return (
    <section>
      <h3>{t(`topics.fact.${kind}`)}</h3>
      <ul>
        {facts.map((f) => {
          const [shown] = f.evidence.filter((e) => e.path);
          const path = shown?.path;
          const line = (shown?.line ?? 1) - 1;
          return (
            <li key={`${f.name} ${f.value ?? ""}`}>
              {path ? (
                <button type="button" class="link mono" dir="ltr" aria-label={`${f.name}: ${t("action.openFile", { name: path })}`} onClick={() => openFile(uriOf(path), { start: { line, character: 0 }, end: { line, character: 0 } })}>
                  {f.name}
                </button>
              ) : (
                <span class="mono">{f.name}</span>
              )}
              <span class="quiet fact-value" dir="auto">
                {f.value ?? (f.count === undefined ? "" : f.of ? t("topics.share", { n: f.count, of: f.of }) : t("topics.filesCount", { n: f.count }))}
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
