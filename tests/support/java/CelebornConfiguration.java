import org.apache.celeborn.common.CelebornConf;
import org.apache.celeborn.common.CelebornConf$;
import org.apache.celeborn.common.internal.config.ConfigEntry;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.celeborn.SparkUtils;
import scala.Tuple2;

/**
 * What Celeborn's client makes of the properties of Java that begin with `spark.celeborn.`: a line for each, its key and
 * its value as it is read, with a tab between; `?` where the client has no entry of this key. At the end, how long it
 * waits before it tries again to fetch data, in milliseconds, which is an entry of each of its modules.
 */
public class CelebornConfiguration {
  public static void main(String[] arguments) {
    SparkConf spark = new SparkConf();
    CelebornConf conf = SparkUtils.fromSparkConf(spark);
    for (Tuple2<String, String> set : spark.getAllWithPrefix("spark.celeborn.")) {
      ConfigEntry<?> entry = CelebornConf$.MODULE$.getConfigEntry("celeborn." + set._1());
      System.out.println(set._1() + "\t" + (entry == null ? "?" : conf.get(entry)));
    }
    System.out.println("retry wait\t" + conf.networkIoRetryWaitMs("data"));
  }
}
